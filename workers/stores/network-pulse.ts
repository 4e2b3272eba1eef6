import { type SQL, sql } from 'drizzle-orm'
import { amountSum, readSum } from './amount-sums.ts'
import { Store } from './database.ts'
import { committeeSets, epochReceipts, projects, projectVersions, rounds } from './schema/index.ts'

/** How many of the newest projects or epochs a figure reads, in a network of any size. */
export const pulseMax = 50

const quarterSecs = 900
/** Rounds of each quarter of an hour. */
const sampledMax = 2

export interface RecentRewards {
  token: string
  amount: string
  epochs: number
  since: number
}

/** Written out, because a bound number is a float to the database. */
const integer = (value: number): SQL => sql.raw(String(Math.trunc(value)))

/**
 * The present state of a network, from a sample of its newest records: the same few rows are read on a network of any size, and with fewer
 * records than the sample the figures are exact. A counter for each figure would cost a write with every round and epoch, and a migration
 * for a new figure. Amounts of several tokens cannot be added, so rewards are in one of them.
 */
export class NetworkPulse extends Store {
  /** Counts the newest listed projects, and those whose set for the running epoch is attested. @param now - Unix seconds. */
  async sets(now: number): Promise<{ running: number; attested: number }> {
    const [row] = await this.db.all<{ running: number; attested: number }>(sql`
      SELECT count(*) AS running, count(${committeeSets.attestedAt}) AS attested
      FROM (SELECT ${projects.projectId} AS id FROM ${projects} INDEXED BY projects_newest
          WHERE ${projects.listingStatus} = 'listed' ORDER BY ${projects.ordinal} DESC LIMIT ${pulseMax}) AS listed
        CROSS JOIN ${projectVersions} ON ${projectVersions.projectId} = listed.id AND ${projectVersions.status} = 'active'
        LEFT JOIN ${committeeSets} ON ${committeeSets.projectId} = listed.id
          AND ${committeeSets.epoch} = ${integer(now)} / ${projectVersions.epochSecs}`)
    return row!
  }

  /** The rewards that validators attested in the newest epochs, in the token that most of these pay. */
  async rewards(): Promise<RecentRewards | null> {
    const { acceptedAt, token, totals } = epochReceipts
    const [row] = await this.db.all<RecentRewards>(sql`
      SELECT token, ${amountSum(sql`gross`)} AS amount, count(*) AS epochs, min(at) AS since
      FROM (SELECT ${token} AS token, ${totals}->>'gross' AS gross, ${acceptedAt} AS at
        FROM ${epochReceipts} INDEXED BY epoch_receipts_by_acceptance ORDER BY ${acceptedAt} DESC LIMIT ${pulseMax})
      GROUP BY token ORDER BY epochs DESC, token LIMIT 1`)
    return row === undefined ? null : { ...row, amount: String(readSum(row.amount)) }
  }

  /** Milliseconds to final of a few tasks of each quarter of an hour, by the time at which it begins. */
  async finality(from: number, to: number): Promise<{ at: number; sample: number[] }[]> {
    const rows = await this.db.all<{ at: number; sample: string }>(sql`
      WITH RECURSIVE quarters(at) AS (SELECT ${integer(from)}
        UNION ALL SELECT at + ${integer(quarterSecs)} FROM quarters WHERE at + ${integer(quarterSecs)} < ${integer(to)})
      SELECT at, (SELECT json_group_array(ms) FROM (SELECT ${rounds.finalityMs} AS ms
          FROM ${rounds} INDEXED BY rounds_final WHERE ${rounds.kind} = 'task' AND ${rounds.state} = 'finalized'
            AND ${rounds.issuedAt} >= at AND ${rounds.issuedAt} < at + ${integer(quarterSecs)}
          ORDER BY ${rounds.issuedAt} DESC, ${rounds.roundId} DESC LIMIT ${integer(sampledMax)})) AS sample
      FROM quarters`)
    return rows.map(({ at, sample }) => ({ at, sample: JSON.parse(sample) as number[] }))
  }
}
