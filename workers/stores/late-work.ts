import { type Column, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import {
  chainBlocks,
  committeeSets,
  epochRounds,
  epochsWithoutSet,
  projects,
  projectVersions,
  rounds,
  tasks,
} from './schema/index.ts'
import { isSameEpoch } from './statements.ts'

/** The kinds of work that may be late, each in an epoch of a project. */
export const lateKinds = [
  'set_not_built',
  'set_not_attested',
  'tasks_waiting',
  'rounds_without_block',
  'rounds_without_quorum',
  'rounds_unpaid',
] as const

export interface LateWork {
  what: (typeof lateKinds)[number]
  projectId: string
  epoch: number
  since: number
  count: number
}

/** The wait after which work is late, in seconds. */
const patienceSecs = 60
/** For how long after the end of an epoch its rounds that nobody is paid for are named. */
const unpaidShownSecs = 7 * 86_400
/** Most of each kind that are named, and most tasks and open rounds that are counted. */
const namedMax = 20
const countedMax = 1_000

/** The late work of the network. Each kind has an index of its own, which is small while nothing is late. */
export class LateWorkStore extends Store {
  /**
   * Epochs that run without a set, or without an attested one, whether it lacks its quorum still or has lost it; projects whose tasks wait
   * for a round, with the epoch that runs; rounds whose committee is done, and that no block or no quorum of validators ends; and epochs with rounds that became final too late to be paid. @param now - Unix seconds.
   */
  async list(now: number): Promise<LateWork[]> {
    // Written out, because a bound number is a float to the database, and the division has to be of integers.
    const time = sql.raw(String(Math.floor(now)))
    const [patience, named, counted] = [patienceSecs, namedMax, countedMax].map((n) => sql.raw(String(n)))
    const isListed = sql`${projects.listingStatus} IN ('listed', 'underfunded')`
    const since = (begun: EpochColumns, at: Column) => sql`max(${begun.epoch} * ${begun.epochSecs}, ${at})`
    const isLate = (
      begun: EpochColumns,
      at: Column,
    ) => sql`(${begun.epoch} + 1) * ${begun.epochSecs} > ${time}
      AND ${since(begun, at)} <= ${time} - ${patience}`
    const { builtAt, attestedAt } = committeeSets
    // Rounds that are open for long are in the database, with the state that they have now.
    const done = sql`coalesce(${rounds.agreedAt}, ${rounds.issuedAt})`
    const newestBlock = sql`SELECT ${chainBlocks.timestamp} FROM ${chainBlocks} ORDER BY ${chainBlocks.number} DESC LIMIT 1`
    const { notedAt } = epochsWithoutSet
    return this.db.all<LateWork>(sql`
      SELECT * FROM (SELECT 'set_not_attested' AS what, ${committeeSets.projectId} AS projectId, ${committeeSets.epoch},
          ${since(committeeSets, builtAt)} AS since, 1 AS count
        FROM ${committeeSets} INDEXED BY committee_sets_unattested
        JOIN ${projects} ON ${projects.projectId} = ${committeeSets.projectId} AND ${isListed}
        WHERE ${attestedAt} IS NULL AND ${isLate(committeeSets, builtAt)} LIMIT ${named})
      UNION ALL SELECT * FROM (SELECT iif(${committeeSets.epoch} IS NULL, 'set_not_built', 'set_not_attested') AS what,
          ${epochsWithoutSet.projectId} AS projectId, ${epochsWithoutSet.epoch},
          ${since(epochsWithoutSet, notedAt)} AS since, 1 AS count
        FROM ${epochsWithoutSet} INDEXED BY epochs_without_set_by_end
        JOIN ${projects} ON ${projects.projectId} = ${epochsWithoutSet.projectId} AND ${isListed}
        LEFT JOIN ${committeeSets} ON ${isSameEpoch(committeeSets, epochsWithoutSet)}
        WHERE ${isLate(epochsWithoutSet, notedAt)}
          AND (${committeeSets.epoch} IS NULL OR ${attestedAt} IS NOT NULL) LIMIT ${named})
      UNION ALL SELECT * FROM (SELECT 'tasks_waiting' AS what, ${tasks.projectId} AS projectId,
          ${time} / ${projectVersions.epochSecs} AS epoch, min(${tasks.createdAt}) AS since, count(*) AS count
        FROM (SELECT ${tasks.projectId}, ${tasks.createdAt} FROM ${tasks} INDEXED BY tasks_waiting
          WHERE ${tasks.roundId} IS NULL AND ${tasks.error} IS NULL AND ${tasks.createdAt} <= ${time} - ${patience}
          ORDER BY ${tasks.createdAt} LIMIT ${counted}) AS ${tasks}
        JOIN ${projects} ON ${projects.projectId} = ${tasks.projectId}
        JOIN ${projectVersions} ON ${projectVersions.projectId} = ${projects.projectId}
          AND ${projectVersions.version} = ${projects.version}
        GROUP BY ${tasks.projectId} ORDER BY since LIMIT ${named})
      UNION ALL SELECT * FROM (SELECT
          iif(done >= coalesce((${newestBlock}), 0), 'rounds_without_block', 'rounds_without_quorum') AS what,
          projectId, epoch, min(done) AS since, count(*) AS count
        FROM (SELECT ${rounds.projectId} AS projectId, ${rounds.epoch} AS epoch, ${done} AS done
          FROM ${rounds} INDEXED BY rounds_undecided
          WHERE ${rounds.state} IN ('committee_agreed', 'escalated', 'fallback') AND ${done} <= ${time} - ${patience}
            AND ${rounds.projectId} IS NOT NULL ORDER BY ${done} LIMIT ${counted})
        GROUP BY what, projectId, epoch ORDER BY since LIMIT ${named})
      UNION ALL SELECT * FROM (SELECT 'rounds_unpaid' AS what, ${epochRounds.projectId} AS projectId,
          ${epochRounds.epoch}, ${epochRounds.endsAt} AS since, ${epochRounds.unpaid} AS count
        FROM ${epochRounds} INDEXED BY epoch_rounds_unpaid
        WHERE ${epochRounds.unpaid} > 0 AND ${epochRounds.endsAt} > ${time} - ${sql.raw(String(unpaidShownSecs))}
        ORDER BY ${epochRounds.endsAt} DESC LIMIT ${named})`)
  }
}

type EpochColumns = Record<'epoch' | 'epochSecs', Column>
