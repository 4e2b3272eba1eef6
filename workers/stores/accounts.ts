import { sql } from 'drizzle-orm'
import { type Database, read } from './database.ts'

/** What a wallet has here. */
export interface AccountCounts {
  /** Bound devices. */
  devices: number
  /** Subscriptions that are not closed. */
  subscriptions: number
  /** Whether it has an active enrollment. */
  enrolled: boolean
}

/** Wallets as a whole. */
export class AccountStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  async counts(address: string): Promise<AccountCounts> {
    const [row] = (await read(() =>
      this.#db.all(sql`
        SELECT
          (SELECT count(*) FROM devices WHERE owner = ${address} AND unbound_at IS NULL) AS devices,
          (SELECT count(*) FROM subscriptions AS s
            LEFT JOIN chain_states AS c ON c.kind = 'subscription' AND c.subject = s.subscription_id
            WHERE s.owner = ${address} AND NOT coalesce(json_extract(c.state, '$.status') = 'closed'
              AND json_extract(c.state, '$.closings') > s.closings, false)) AS subscriptions,
          EXISTS (SELECT 1 FROM developers WHERE address = ${address} AND enrollment = 'active') AS enrolled`),
    )) as { devices: number; subscriptions: number; enrolled: number }[]
    return {
      devices: row?.devices ?? 0,
      subscriptions: row?.subscriptions ?? 0,
      enrolled: row?.enrolled === 1,
    }
  }
}
