import { and, eq, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { EpochLengths } from './epoch-lengths.ts'
import { epochRounds, projectVersions } from './schema/index.ts'

/** How many rounds an epoch had, and how many of them without a committee. */
export interface RoundTotals {
  readonly epoch: number
  readonly rounds: number
  readonly fallbackRounds: number
}
/** Epochs of a project that had rounds, and the lengths that its epochs had. */
export interface KnownEpochs {
  readonly totals: readonly RoundTotals[]
  readonly lengths: EpochLengths
}
/** Published versions, the last ones, of which the lengths of epochs are told. */
const lengthsMax = 20
/** Reads the epochs of a project, also those that nobody has attested. */
export class KnownEpochStore extends Store {
  /** The last two epochs of a project that had rounds, or the one that is asked for. */
  async read(projectId: string, epoch?: number): Promise<KnownEpochs> {
    const wanted = and(
      eq(epochRounds.projectId, projectId),
      epoch === undefined ? undefined : eq(epochRounds.epoch, epoch),
    )
    const { version, effectiveAt, epochSecs, status } = projectVersions
    const ofProject = eq(projectVersions.projectId, projectId)
    const length = sql`json_object('version', ${version}, 'effectiveAt', ${effectiveAt}, 'epochSecs', ${epochSecs})`
    const [row] = await this.db.all<Record<keyof KnownEpochs, string>>(sql`SELECT
      (SELECT json_group_array(json_object('epoch', epoch, 'rounds', rounds, 'fallbackRounds', fallback)) FROM (
        SELECT * FROM ${epochRounds} WHERE ${wanted} ORDER BY ${epochRounds.endsAt} DESC LIMIT 2)) AS totals,
      (SELECT json_group_array(json(length)) FROM (
        SELECT ${length} AS length FROM ${projectVersions}
          WHERE ${ofProject} AND ${version} = 1 AND ${status} <> 'rejected'
        UNION ALL SELECT * FROM (SELECT ${length} FROM ${projectVersions}
          WHERE ${ofProject} AND ${effectiveAt} IS NOT NULL ORDER BY ${effectiveAt} DESC LIMIT ${lengthsMax}))) AS lengths`)
    return {
      totals: JSON.parse(row?.totals ?? '[]'),
      lengths: new EpochLengths(JSON.parse(row?.lengths ?? '[]')),
    }
  }
}
