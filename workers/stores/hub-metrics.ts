import { desc, type InferSelectModel, isNull, sql } from 'drizzle-orm'
import { newestTime } from './chain-facts.ts'
import { batch, Store } from './database.ts'
import { deadLetters, epochReceipts, hubActions, lastBackup, rounds } from './schema/index.ts'
import { hubSecrets } from './schema/secrets.ts'

const lettersMax = 1_000
/** Enough for a median and the slowest of twenty. */
const roundsMax = 100
/** Attempts in vain after which posting counts as failing; the first four take about ten minutes. */
const attemptsMax = 3
/** An epoch that nobody tried to post by then is late. */
const untriedSecsMax = 3_600
const epochsMax = 20

/** A secret of the hub, without its value. */
export type SeenSecret = InferSelectModel<typeof hubSecrets>

export interface HubCounts {
  deadLetters: number
  databaseBytes: number
  /** Since the last backup; infinite if none was made. */
  backupAgeSecs: number
  /** Time of the newest indexed block; 0 without one. */
  newestBlockAt: number
  /** Attested epochs that cannot be posted, the oldest first; at most {@link epochsMax}. */
  unposted: { projectId: string; epoch: number }[]
  secrets: SeenSecret[]
}

/** Figures for those who watch the hub. */
export class HubMetricsStore extends Store {
  /**
   * Messages that nobody has seen to, of which no more than {@link lettersMax} are counted, and what else one row tells. Epochs that wait
   * for a vault, a pause, a veto or the chain are queued with a reason: they can be posted. @param now - Network time.
   */
  async counts(now: number): Promise<HubCounts> {
    const { projectId, epoch, vault, state, settlement, error, acceptedAt } = epochReceipts
    const { name, fingerprint, seenAt } = hubSecrets
    const letters = this.db
      .select({ one: sql`1` })
      .from(deadLetters)
      .where(isNull(deadLetters.resolvedAt))
      .limit(lettersMax)
    const { results, meta } = await this.db.run(sql`SELECT count(*) AS deadLetters,
      (SELECT ${lastBackup.madeAt} FROM ${lastBackup}) AS backupAt,
      ${newestTime} AS newestBlockAt,
      (SELECT json_group_array(json_object('name', ${name}, 'fingerprint', ${fingerprint}, 'seenAt', ${seenAt}))
        FROM ${hubSecrets}) AS secrets,
      (SELECT json_group_array(json_object('projectId', id, 'epoch', epoch)) FROM (SELECT ${projectId} AS id, ${epoch}
        FROM ${epochReceipts} INDEXED BY epoch_receipts_to_post
        CROSS JOIN ${hubActions} ON ${hubActions.kind} = 'post_epoch' AND ${hubActions.subject} = ${vault} || ':' || ${epoch}
        WHERE ${state} IN ('attested', 'submitted') AND (${settlement} <> 'queued' OR ${error} IS NULL)
          AND ${hubActions.state} = 'open' AND (${hubActions.attempts} > ${attemptsMax}
          OR ${hubActions.attempts} = 0 AND ${acceptedAt} <= ${now - untriedSecsMax})
        ORDER BY ${acceptedAt} LIMIT ${epochsMax})) AS unposted
      FROM ${letters}`)
    const [row] = results as [
      HubCounts & Record<'secrets' | 'unposted', string> & { backupAt: number | null },
    ]
    return {
      ...row,
      databaseBytes: meta.size_after,
      backupAgeSecs: now - (row.backupAt ?? Number.NEGATIVE_INFINITY),
      secrets: JSON.parse(row.secrets),
      unposted: JSON.parse(row.unposted),
    }
  }

  /** Takes the place of what was noted of the secrets. @param secrets - One at least. */
  async noteSecrets(secrets: SeenSecret[]): Promise<void> {
    await batch(this.db, [this.db.delete(hubSecrets), this.db.insert(hubSecrets).values(secrets)])
  }

  /** Times of the newest rounds that are final. */
  async finalized(): Promise<{ finalitySecs: number; agreedSecs: number | null }[]> {
    const { agreedAt, issuedAt, finalityMs, kind, state } = rounds
    const newest = await this.db
      .select({ agreedSecs: sql<number | null>`${agreedAt} - ${issuedAt}`, finalityMs })
      .from(rounds)
      .where(sql`${kind} = 'task' AND ${state} = 'finalized'`)
      .orderBy(desc(issuedAt), desc(rounds.roundId))
      .limit(roundsMax)
    return newest.map(({ finalityMs: ms, agreedSecs }) => ({ finalitySecs: (ms ?? 0) / 1000, agreedSecs }))
  }
}
