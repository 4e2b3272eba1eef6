import type { SnapshotCandidate } from '../../protocol/committees/index.ts'
import { applyEvent, type ChainState } from '../chain/projections.ts'
import type { CandidateRow, SetCandidateStore } from '../stores/set-candidates.ts'
import { standingOf } from '../stores/subscription-standing.ts'

export interface CandidateRules {
  projectId: string
  /** The beacon block, which is final: what the chain says, it says as of this block. */
  block: number
  minCollateral: string
}

type CandidateSource = Pick<SetCandidateStore, 'page' | 'eventsUpTo'>

const pageRows = 1_000

/**
 * The candidates of a snapshot, by key: subscriptions that are active or paused and have the collateral. Owner, payout address and collateral
 * are those of the beacon block, so that anyone can rebuild them; pause, binding and reputation are the hub's as of now.
 */
export async function* readCandidates(
  store: CandidateSource,
  rules: CandidateRules,
): AsyncGenerator<SnapshotCandidate> {
  let after = { nodeKey: '', subscriptionId: '' }
  for (;;) {
    const rows = await store.page(rules.projectId, after, pageRows)
    const states = await statesAt(store, rows, rules.block)
    for (const row of rows) {
      const candidate = candidateOf(row, states.get(row.subscriptionId) ?? null, rules.minCollateral)
      if (candidate !== null) yield candidate
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return
    after = last
  }
}

/** The states as of a final block: from the index where nothing changed since, else from the events up to the block. */
async function statesAt(
  store: CandidateSource,
  rows: readonly CandidateRow[],
  block: number,
): Promise<Map<string, ChainState>> {
  const states = new Map<string, ChainState>()
  const changed: string[] = []
  for (const { subscriptionId, state, stateBlock } of rows)
    if (state !== null && stateBlock !== null && stateBlock <= block) states.set(subscriptionId, state)
    else if (state !== null) changed.push(subscriptionId)
  if (changed.length > 0)
    for await (const { subscriptionId, event } of store.eventsUpTo(changed, block))
      states.set(subscriptionId, applyEvent('subscription', states.get(subscriptionId) ?? null, event))
  return states
}

function candidateOf(
  { subscriptionId, nodeKey, closings, pausedAt, reputation, binding, isFaulty }: CandidateRow,
  chain: ChainState | null,
  minCollateral: string,
): SnapshotCandidate | null {
  // No state that matters here depends on the time.
  const { status, collateral, payout } = standingOf({ chain, closings, pausedAt, minCollateral }, 0)
  if (status !== 'active' && status !== 'paused') return null
  if (BigInt(collateral) < BigInt(minCollateral)) return null
  const owner = String(chain?.owner)
  return {
    node_key: nodeKey,
    subscription_id: subscriptionId,
    owner,
    payout_address: payout ?? owner,
    collateral,
    reputation,
    paused: status === 'paused',
    faulty: isFaulty,
    binding,
  }
}
