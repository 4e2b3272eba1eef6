import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { rewardsOf, treeOf, unitsOf } from '../../protocol/testing/plain/rewards.ts'
import type { Schemas } from '../../sdk/index.ts'
import { readAll } from '../network/explorer.ts'
import type { NodeNetwork } from '../network/node-network.ts'

export type RoundRecord = Schemas['Round']

export async function readRounds({ network: { client }, projectId }: NodeNetwork): Promise<RoundRecord[]> {
  const listed = await readAll((cursor) =>
    client.call('GET /v1/explorer/rounds', {
      query: { project_id: projectId, kind: 'task', limit: 100, ...(cursor && { cursor }) },
    }),
  )
  const rounds: RoundRecord[] = []
  for (const { round_id } of listed)
    rounds.push(await client.call('GET /v1/explorer/rounds/{round_id}', { path: { round_id } }))
  return rounds
}

/** An epoch with its receipt; null if the hub knows no epoch of this number. */
export const readEpoch = ({ network: { client }, projectId }: NodeNetwork, epoch: number) =>
  client.find('GET /v1/explorer/epochs/{project_id}/{epoch}', {
    path: { project_id: projectId, epoch },
  })

/** The amounts that one epoch pays by the finality records of its rounds. */
export type Owed = NonNullable<ReturnType<typeof owedFor>>

type Share = { readonly miner: string; readonly units: number; readonly amount: string }

export interface Rules {
  readonly projectId: string
  readonly epochSecs: number
  // biome-ignore lint/suspicious/noExplicitAny: the economics of a manifest, as the plain rules read them.
  readonly economics: any
}

/** Counts an epoch by the plain second implementation of the rules; null if nobody is owed anything. */
export function owedFor(rules: Rules, epoch: number, rounds: readonly RoundRecord[]) {
  const { economics, epochSecs, projectId } = rules
  const records = rounds.flatMap(({ finality }) => finality ?? [])
  const { max_recipients_per_epoch, max_units_per_epoch } = economics
  const { gas_per_unit } = defaultNetworkParams
  const units = unitsOf(records, gas_per_unit, max_recipients_per_epoch, max_units_per_epoch)
  if (units.length === 0) return null
  const { shares, totals } = rewardsOf(economics, epochSecs, units)
  const tree = treeOf(projectId, epoch, shares)
  if (tree === null) return null
  return {
    units: totals.units,
    gross: BigInt(totals.gross),
    miner: BigInt(totals.miner),
    developer: BigInt(totals.developer),
    treasury: BigInt(totals.treasury),
    shares: (shares as Share[]).map(({ miner, units: own, amount }) => ({ miner, units: own, amount })),
    root: tree.root,
  }
}
