import { type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'

/**
 * The wallet's subscriptions `s` that the chain has not closed since their record began, with what it says of each as `c`;
 * for FROM.
 */
export const openSubscriptions = (owner: Wallet): SQL => sql`subscriptions AS s
  LEFT JOIN chain_states AS c ON c.kind = 'subscription' AND c.subject = s.subscription_id
  WHERE s.owner = ${owner} AND NOT coalesce(json_extract(c.state, '$.status') = 'closed'
    AND json_extract(c.state, '$.closings') > s.closings, false)`
