import { encodeFunctionData, type Hex } from 'viem'
import { faucetFunctions } from '../../../contracts/generated/functions.ts'
import { hashBytes } from '../../../protocol/encoding/index.ts'
import type { Contracts } from '../../chain/contracts.ts'

/** The id of one transaction of a faucet turn; it follows from the turn and the part. */
export const dripId = (part: 'token' | 'native', turnId: string): string =>
  hashBytes(new TextEncoder().encode(`faucet ${part} ${turnId}`))

export const tokenCall = ({ faucet }: Contracts, wallet: string, amountWei: bigint) => ({
  to: faucet,
  data: encodeFunctionData({ abi: faucetFunctions, functionName: 'drip', args: [wallet as Hex, amountWei] }),
  valueWei: '0',
})

/** A wallet may be a contract, whose code runs at the hub's expense when it is given something. */
const nativeGasMax = 100_000

export const nativeCall = (wallet: string, amountWei: bigint) => ({
  to: wallet,
  data: '0x',
  valueWei: String(amountWei),
  gasMax: nativeGasMax,
})
