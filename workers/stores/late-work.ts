import { sql } from 'drizzle-orm'
import { Store } from './database.ts'
import {
  committeeSets,
  epochRounds,
  epochsWithoutSet,
  projects,
  projectVersions,
  tasks,
} from './schema/index.ts'

/** What may be late, of a project and an epoch. */
export const lateKinds = ['set_not_built', 'set_not_attested', 'tasks_waiting', 'rounds_unpaid'] as const

export interface LateWork {
  what: (typeof lateKinds)[number]
  projectId: string
  epoch: number
  since: number
  count: number
}

/** What takes no longer is not late, in seconds. */
const patienceSecs = 60
/** For how long after the end of an epoch its rounds that nobody is paid for are named. */
const unpaidShownSecs = 7 * 86_400
/** Most of each kind that are named, and most tasks that are counted. */
const namedMax = 20
const countedMax = 1_000

/** What of the network is late. Each kind has an index of its own, which holds little while nothing is. */
export class LateWorkStore extends Store {
  /**
   * Epochs that run without a set, or without an attested one, whether it lacks its quorum still or has lost it; projects
   * whose tasks wait for a round, with the epoch that runs; and epochs with rounds that became final too late to be paid.
   *
   * @param now - Unix seconds.
   */
  async list(now: number): Promise<LateWork[]> {
    // Written out, because a bound number is a float to the database, and the division has to be of integers.
    const time = sql.raw(String(Math.floor(now)))
    const [patience, named, counted] = [patienceSecs, namedMax, countedMax].map((n) => sql.raw(String(n)))
    return this.db.all<LateWork>(sql`
        SELECT * FROM (SELECT 'set_not_attested' AS what, s.project_id AS projectId, s.epoch,
            max(s.epoch * s.epoch_secs, s.built_at) AS since, 1 AS count
          FROM ${committeeSets} AS s INDEXED BY committee_sets_unattested
          JOIN ${projects} AS p ON p.project_id = s.project_id AND p.listing_status IN ('listed', 'underfunded')
          WHERE s.attested_at IS NULL AND (s.epoch + 1) * s.epoch_secs > ${time}
            AND max(s.epoch * s.epoch_secs, s.built_at) <= ${time} - ${patience} LIMIT ${named})
        UNION ALL SELECT * FROM (SELECT iif(s.epoch IS NULL, 'set_not_built', 'set_not_attested') AS what,
            n.project_id AS projectId, n.epoch, max(n.epoch * n.epoch_secs, n.noted_at) AS since, 1 AS count
          FROM ${epochsWithoutSet} AS n INDEXED BY epochs_without_set_by_end
          JOIN ${projects} AS p ON p.project_id = n.project_id AND p.listing_status IN ('listed', 'underfunded')
          LEFT JOIN ${committeeSets} AS s ON s.project_id = n.project_id AND s.epoch = n.epoch
          WHERE (n.epoch + 1) * n.epoch_secs > ${time}
            AND max(n.epoch * n.epoch_secs, n.noted_at) <= ${time} - ${patience}
            AND (s.epoch IS NULL OR s.attested_at IS NOT NULL) LIMIT ${named})
        UNION ALL SELECT * FROM (SELECT 'tasks_waiting' AS what, t.project_id AS projectId,
            ${time} / v.epoch_secs AS epoch, min(t.created_at) AS since, count(*) AS count
          FROM (SELECT project_id, created_at FROM ${tasks} INDEXED BY tasks_waiting
            WHERE round_id IS NULL AND error IS NULL AND created_at <= ${time} - ${patience}
            ORDER BY created_at LIMIT ${counted}) AS t
          JOIN ${projects} AS p ON p.project_id = t.project_id
          JOIN ${projectVersions} AS v ON v.project_id = p.project_id AND v.version = p.version
          GROUP BY t.project_id ORDER BY since LIMIT ${named})
        UNION ALL SELECT * FROM (SELECT 'rounds_unpaid' AS what, project_id AS projectId, epoch, ends_at AS since,
            unpaid AS count
          FROM ${epochRounds} INDEXED BY epoch_rounds_unpaid
          WHERE unpaid > 0 AND ends_at > ${time} - ${sql.raw(String(unpaidShownSecs))}
          ORDER BY ends_at DESC LIMIT ${named})`)
  }
}
