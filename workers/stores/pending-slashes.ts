import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { slashes } from './schema/index.ts'

/**
 * Counts the slashes that may still take collateral of a subscription: those that are open on chain, from any proposer,
 * and those that the hub has recorded and not yet proposed.
 */
export const pendingSlashesOf = (subscriptionId: SQLWrapper): SQL<number> =>
  // The plus takes the column's affinity away, which the indexed expression does not have: with it, every slash is read.
  sql<number>`((SELECT count(*)
    FROM chain_states AS slash WHERE slash.kind = 'slash'
    AND json_extract(slash.state, '$.subscription_id') = +${subscriptionId}
    AND json_extract(slash.state, '$.status') IN ('proposed', 'disputed')) +
    (SELECT count(*) FROM ${slashes} AS unproposed
    WHERE unproposed.subscription_id = ${subscriptionId} AND unproposed.status = 'recorded'))`
