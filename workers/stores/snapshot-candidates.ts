import { sql } from 'drizzle-orm'
import type { ChainEvent } from '../chain/events.ts'
import type { ChainState } from '../chain/projections.ts'
import { Store } from './database.ts'

/** A subscription as the hub and the newest indexed block have it. */
export interface CandidateRow {
  subscriptionId: string
  nodeKey: string
  closings: number
  pausedAt: number | null
  reputation: number
  binding: { binding_hash: string; owner: string; public_key: string } | null
  isFaulty: boolean
  /** What its events make of it; null before the first. */
  state: ChainState | null
  /** The block of the last of them. */
  stateBlock: number | null
}

export interface CandidatePosition {
  nodeKey: string
  subscriptionId: string
}

interface JoinedRow {
  subscription_id: string
  node_key: string
  closings: number
  paused_at: number | null
  reputation: number
  binding_hash: string | null
  bound_owner: string | null
  bound_key: string | null
  is_faulty: number
  state: string | null
  state_block: number | null
}

type EventRow = Omit<ChainEvent, 'args'> & { args: string; subscriptionId: string }

/** Events read at once. */
const eventsMax = 2_000

/** What snapshots are built from. */
export class SnapshotCandidateStore extends Store {
  /** The subscriptions of a project in the order of their keys; `limit` rows after `after`. */
  async page(projectId: string, after: CandidatePosition, limit: number): Promise<CandidateRow[]> {
    const rows = await this.db.all<JoinedRow>(sql`
        SELECT s.subscription_id, s.node_key, s.closings, s.paused_at, s.reputation, d.binding_hash,
          d.owner AS bound_owner, d.public_key AS bound_key,
          coalesce(n.health = 'faulty' OR n.status = 'revoked', 0) OR d.banned_at IS NOT NULL
            OR d.vote_fault_at IS NOT NULL OR d.benchmark_fault_at IS NOT NULL AS is_faulty,
          c.state, c.block_number AS state_block
        FROM subscriptions AS s
        LEFT JOIN devices AS d ON d.node_id = s.node_id AND d.unbound_at IS NULL
        LEFT JOIN nodes AS n ON n.node_id = s.node_id
        LEFT JOIN chain_states AS c ON c.kind = 'subscription' AND c.subject = s.subscription_id
        WHERE s.project_id = ${projectId}
          AND (s.node_key, s.subscription_id) > (${after.nodeKey}, ${after.subscriptionId})
        ORDER BY s.node_key, s.subscription_id LIMIT ${limit}`)
    return rows.map(candidateOf)
  }

  /** The final events of subscriptions up to a block, in chain order. */
  async *eventsUpTo(
    subscriptionIds: readonly string[],
    block: number,
  ): AsyncGenerator<{ subscriptionId: string; event: ChainEvent }> {
    const wanted = JSON.stringify(subscriptionIds)
    let after = [-1, -1]
    for (;;) {
      const [afterBlock, afterLog] = after
      const rows = await this.db.all<EventRow>(sql`
          SELECT json_extract(e.args, '$.subscriptionId') AS subscriptionId, e.block_hash AS blockHash,
            e.log_index AS logIndex, e.block_number AS blockNumber, e.block_time AS blockTime,
            e.tx_hash AS txHash, e.contract, e.name, e.args
          FROM json_each(${wanted}) AS w JOIN chain_events AS e
            ON json_extract(e.args, '$.subscriptionId') = w.value
          WHERE json_extract(e.args, '$.subscriptionId') IS NOT NULL AND e.provisional = 0
            AND e.block_number <= ${block} AND (e.block_number, e.log_index) > (${afterBlock}, ${afterLog})
          ORDER BY e.block_number, e.log_index LIMIT ${eventsMax}`)
      for (const { subscriptionId, args, ...event } of rows)
        yield { subscriptionId, event: { ...event, args: JSON.parse(args) as Record<string, string> } }
      const last = rows.at(-1)
      if (last === undefined || rows.length < eventsMax) return
      after = [last.blockNumber, last.logIndex]
    }
  }
}

const candidateOf = (row: JoinedRow): CandidateRow => ({
  subscriptionId: row.subscription_id,
  nodeKey: row.node_key,
  closings: row.closings,
  pausedAt: row.paused_at,
  reputation: row.reputation,
  binding:
    row.binding_hash === null || row.bound_owner === null || row.bound_key === null
      ? null
      : { binding_hash: row.binding_hash, owner: row.bound_owner, public_key: row.bound_key },
  isFaulty: row.is_faulty === 1,
  state: row.state === null ? null : (JSON.parse(row.state) as ChainState),
  stateBlock: row.state_block,
})
