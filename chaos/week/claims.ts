import { accounts } from '../../localnet/accounts.ts'
import { sendDirect } from '../../localnet/send-direct.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { Refusal } from '../../sdk/errors.ts'
import { claimManyCall, encodeCall } from '../network/contracts.ts'
import type { NodeNetwork } from '../network/node-network.ts'

/** As many as a vault takes in one transaction, and its gas: the first payment to an account costs most. */
const claimsAtOnce = 100
const claimsGas = 16_000_000n

export const payoutKeys = ({ miners }: NodeNetwork): string[] => [
  ...new Set(miners.map(({ payoutKey }) => payoutKey)),
]

/** Has every recipient ask the hub for its released payouts. @returns How many recipients had any. */
export async function claimThroughHub(week: NodeNetwork): Promise<number> {
  let asked = 0
  for (const key of payoutKeys(week)) {
    const { client } = await signIn(week.network, key)
    try {
      await client.call('POST /v1/me/withdrawals/claims', { body: {} })
      asked += 1
    } catch (error) {
      // Nothing is released for this one yet.
      if (!(error instanceof Refusal) || error.status !== 409) throw error
    }
  }
  return asked
}

/** The payouts that a recipient can still claim, as the hub lists them with their proofs. */
export async function readClaims({ network: { client }, projectId }: NodeNetwork, key: string) {
  const query = { address: evmAddress(key), project_id: projectId }
  return (await client.call('GET /v1/me/claims', { query })).items
}

/** Brings everything that is left to the vault with the proofs of the hub, as anyone may. @returns How many payouts. */
export async function claimDirectly(week: NodeNetwork): Promise<number> {
  let brought = 0
  for (const key of payoutKeys(week)) {
    const claims = await readClaims(week, key)
    for (let at = 0; at < claims.length; at += claimsAtOnce) {
      const call = claimManyCall(claims[0]!.vault, claims.slice(at, at + claimsAtOnce))
      await sendDirect(week.rpcUrl, accounts.developer, [encodeCall(call)], claimsGas)
    }
    brought += claims.length
  }
  return brought
}
