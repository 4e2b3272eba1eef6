import { encodeFunctionData, type Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { projectVaultAbi } from '../contracts/generated/contracts.ts'
import { sendDirect } from '../localnet/send-direct.ts'

/** As many as a vault takes in one transaction, and its gas: the first payment to an account costs most. */
const claimsAtOnce = 100
const claimsGas = 16_000_000n

/** A payout as the hub lists it, with its proof. */
export interface Claim {
  readonly vault: string
  readonly epoch: number
  readonly account: string
  readonly amount: string
  readonly proof: readonly string[]
}

/** Brings claims of one vault to it, as anyone may. */
export async function claimMany(
  rpcUrl: string,
  sender: LocalAccount,
  claims: readonly Claim[],
): Promise<void> {
  const [first] = claims
  if (first === undefined) return
  for (let at = 0; at < claims.length; at += claimsAtOnce) {
    const data = encodeFunctionData({
      abi: projectVaultAbi,
      functionName: 'claimMany',
      args: [
        claims.slice(at, at + claimsAtOnce).map(({ epoch, account, amount, proof }) => ({
          epoch: BigInt(epoch),
          miner: account as Hex,
          amount: BigInt(amount),
          proof: proof as Hex[],
        })),
      ],
    })
    await sendDirect(rpcUrl, sender, [{ to: first.vault, data }], claimsGas)
  }
}
