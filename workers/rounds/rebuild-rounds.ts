import type { Services } from '../services.ts'
import { BackupStore } from '../stores/backups.ts'
import type { RoundFile } from '../stores/round-files.ts'
import { writtenRound } from './round-end.ts'
import { writeAll } from './write-rounds.ts'

/** One invocation may make a thousand requests to the bucket, and wait for six at once. */
const readMax = 6

type Sources = Pick<Services, 'projectVersions' | 'roundFiles' | 'writeRounds' | 'store'>

export interface Rebuilding {
  /** The last record that was read; null begins with the first. */
  readonly after: string | null
  readonly limit: number
  /** Records that were written before are passed over. */
  readonly sinceMs: number
  /** Only counts the rounds that the database does not have. */
  readonly isTrial: boolean
}

/**
 * Writes rounds to the database again, from the next `limit` records after the round `after`. Rounds that the database has stay
 * as they are; all effects of the others are added, so its counters must not contain them. A round waits for the version of its
 * project, without which its epoch has no terms. Offences are left to the schedule.
 */
export async function rebuildRounds(
  { projectVersions, roundFiles, writeRounds, store }: Sources,
  { after, limit, sinceMs, isTrial }: Rebuilding,
) {
  const { keys, last } = await recordsAfter(roundFiles, after, limit, sinceMs)
  if (isTrial) {
    const known = await store(BackupStore).endedOf(keys)
    return { read: keys.length, written: keys.length - known.length, skipped: 0, failed: [], last }
  }
  const files = await readAll(roundFiles, keys)
  const projectIds = files.map(({ task }) => task.project_id)
  const known = await projectVersions.consensusKeys([...new Set(projectIds)])
  const whole = files.filter(({ published: { round } }) =>
    known.has(`${round.projectId}:${round.consensusHash}`),
  )
  const { ended, failed } = await writeAll(writeRounds, whole.map(writtenRound))
  return {
    read: keys.length,
    written: ended.length,
    skipped: keys.length - whole.length,
    failed: failed.map(({ round }) => round.roundId),
    last,
  }
}

const folder = 'rounds/'
/** The most that a bucket lists at once. */
const listedMax = 1_000

/** The next ids of rounds that have a record, in order; no direct ones. @returns With the last one that was looked at; null if no more follow. */
async function recordsAfter(
  roundFiles: Sources['roundFiles'],
  after: string | null,
  limit: number,
  sinceMs: number,
) {
  const { objects, truncated } = await roundFiles.listRounds({
    ...{ prefix: `${folder}task:`, limit: sinceMs === 0 ? limit : listedMax },
    ...(after && { startAfter: `${folder}${after}` }),
  })
  const found = objects.filter(({ uploaded }) => uploaded.getTime() >= sinceMs)
  const goesOn = truncated || found.length > limit
  const last = found.length > limit ? found[limit - 1] : objects.at(-1)
  const idOf = ({ key }: R2Object) => key.slice(folder.length)
  return { keys: found.slice(0, limit).map(idOf), last: goesOn && last ? idOf(last) : null }
}

async function readAll(roundFiles: Sources['roundFiles'], ids: readonly string[]): Promise<RoundFile[]> {
  const files: RoundFile[] = []
  const next = ids.values()
  const readSome = async () => {
    for (const id of next) {
      const file = await roundFiles.round(id)
      if (file !== null && hasRows(file)) files.push(file)
    }
  }
  await Promise.all(Array.from({ length: readMax }, readSome))
  return files
}

/** Records of an earlier form lack what lists show. */
const hasRows = (file: Partial<RoundFile>): file is RoundFile => file.published !== undefined
