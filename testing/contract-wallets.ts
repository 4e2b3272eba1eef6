import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import type { Anvil } from '../contracts/anvil.ts'

/** The gas that one round of the loop below takes. */
const roundGas = 26

/** Loops as often as the first word of the signature says, then answers the magic value of EIP-1271. */
const code = '0x6064355b6001900380600357631626ba7e60e01b60005260206000f3'

/** About what a WebAuthn assertion takes, the signature of a passkey. */
const signatureBytes = 1_024

/** Contract wallets that accept every signature, and whose check takes as much gas as the signature names. */
export async function deployContractWallets({ rpc }: Anvil, count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`)
  for (const address of addresses) await rpc('anvil_setCode', address, code)
  return addresses
}

/** A signature whose check by such a wallet takes `checkGas`, and whose bytes each cost as much as possible. */
export function costlySignature(checkGas: number): Hex {
  const rounds = Math.floor(checkGas / roundGas)
  return `0x${rounds.toString(16).padStart(64, '0')}${'ff'.repeat(signatureBytes - 32)}`
}
