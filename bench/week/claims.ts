import { accounts } from '../../localnet/accounts.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { HubError } from '../../sdk/connect.ts'
import { signIn } from '../../sdk/sign-in.ts'
import { claimMany } from '../claims.ts'
import type { WeekNetwork } from './network.ts'

export const payoutKeys = ({ miners }: WeekNetwork): string[] => [
  ...new Set(miners.map(({ payoutKey }) => payoutKey)),
]

/** Has every recipient ask the hub for what is released. @returns How many had anything. */
export async function claimThroughHub(week: WeekNetwork): Promise<number> {
  let asked = 0
  for (const key of payoutKeys(week)) {
    const { client } = await signIn(week.network, key)
    try {
      await unwrap(client.POST('/v1/me/withdrawals/claims', { body: {} }))
      asked += 1
    } catch (error) {
      // Nothing is released for this one yet.
      if (!(error instanceof HubError) || !error.message.includes(' 409 ')) throw error
    }
  }
  return asked
}

/** What recipients can still claim, as the hub lists it with its proofs. */
export async function readClaims({ network: { client }, projectId }: WeekNetwork, key: string) {
  const query = { address: evmAddress(key), project_id: projectId }
  return (await unwrap(client.GET('/v1/me/claims', { params: { query } }))).items
}

/** Brings everything that is left to the vault with the proofs of the hub, as anyone may. @returns How many payouts. */
export async function claimDirectly(week: WeekNetwork): Promise<number> {
  let brought = 0
  for (const key of payoutKeys(week)) {
    const claims = await readClaims(week, key)
    await claimMany(week.rpcUrl, accounts.developer, claims)
    brought += claims.length
  }
  return brought
}
