import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Subject } from '../chain/projections.ts'
import type { Wallet } from './caller.ts'
import { chainBlocks, chainStates, slashes, subscriptions } from './schema/index.ts'

export const isState = (kind: Subject['kind'], subject: SQLWrapper | string): SQL =>
  // Written out, as the conditions of indexes have it.
  sql`${chainStates.kind} = ${sql.raw(`'${kind}'`)} AND ${chainStates.subject} = ${subject}`

/** Unix seconds of the newest indexed block; 0 before the first. */
export const newestTime = sql<number>`coalesce((
  SELECT ${chainBlocks.timestamp} FROM ${chainBlocks} ORDER BY ${chainBlocks.number} DESC LIMIT 1), 0)`

/** Whether the chain has closed a subscription since its record began, in a statement that has both. */
export const isClosed = sql`coalesce(json_extract(${chainStates.state}, '$.status') = 'closed'
  AND json_extract(${chainStates.state}, '$.closings') > ${subscriptions.closings}, false)`

/** The wallet's subscriptions that the chain has not closed, each with its state on the chain; for FROM. */
export const openSubscriptions = (owner: Wallet): SQL => sql`${subscriptions}
  LEFT JOIN ${chainStates} ON ${isState('subscription', subscriptions.subscriptionId)}
  WHERE ${subscriptions.owner} = ${owner} AND NOT ${isClosed}`

/**
 * Counts the slashes that may still take collateral of a subscription: those that are open on chain, from any proposer,
 * and those that the hub has recorded and not yet proposed. The plus takes the column's affinity away, which the indexed
 * expression does not have: with it, every slash is read.
 */
export const pendingSlashes = sql<number>`((SELECT count(*)
    FROM ${chainStates} AS slash WHERE slash.kind = 'slash'
    AND json_extract(slash.state, '$.subscription_id') = +${subscriptions.subscriptionId}
    AND json_extract(slash.state, '$.status') IN ('proposed', 'disputed')) +
    (SELECT count(*) FROM ${slashes} AS unproposed
    WHERE unproposed.subscription_id = ${subscriptions.subscriptionId} AND unproposed.status = 'recorded'))`
