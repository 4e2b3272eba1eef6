import { and, desc, eq, sql } from 'drizzle-orm'
import type { RoundState } from '../../protocol/rounds/index.ts'
import { Store } from './database.ts'
import { archives, epochReceipts, rounds } from './schema/index.ts'
import { fromTemplate } from './statements.ts'

export interface ListedRound {
  roundId: string
  kind: 'task' | 'exec' | 'epoch'
  state: RoundState
  projectId: string | null
  moduleAddress: string | null
  function: string | null
  epoch: number | null
  seq: number | null
  receiptHash: string | null
  success: boolean | null
  gasUsed: number | null
  committeeSize: number | null
  votes: number | null
  agreeing: number | null
  audited: boolean | null
  createdAt: number
  finalizedAt: number | null
}

export interface RoundFilter {
  projectId?: string | undefined
  module?: string | undefined
  kind?: 'exec' | 'task' | 'reward' | 'epoch' | undefined
  state?: RoundState | undefined
}

export interface RoundPosition {
  createdAt: number
  /** The round id; of an epoch without the attempt. */
  name: string
}

const epochName = sql.raw("('epoch:' || project_id || ':' || epoch || ':')")

/** Rounds as lists show them, newest first: tasks, direct rounds, and the epochs that validators attested. */
export class RoundLists extends Store {
  /**
   * `limit` of them after `after`, and the time before which others may be in archives alone. @param attemptOf - The attempt in which an epoch
   * was attested.
   */
  async list(
    filter: RoundFilter,
    after: RoundPosition | undefined,
    limit: number,
    attemptOf: (epoch: AcceptedEpoch) => number,
  ): Promise<{ rounds: ListedRound[]; archivedBefore: number | null }> {
    const ranges = rangesOf(filter)
    const [{ epochs, archivedBefore: before }, listed] = await Promise.all([
      this.#epochs(filter.projectId, after, hasEpochs(filter) ? limit : 0),
      this.#rounds(ranges, after, limit),
    ])
    const all = [...listed, ...epochs.map((epoch) => epochRound(epoch, attemptOf(epoch)))]
    // Direct rounds are in no archive.
    const mayBeArchived = ranges.some(({ kind }) => kind !== 'exec')
    return {
      rounds: all.sort(newestFirst).slice(0, limit),
      archivedBefore: mayBeArchived ? before : null,
    }
  }

  /** The database merges the ranges, and reads no more of each than the page takes. */
  async #rounds(
    ranges: readonly RoundRange[],
    after: RoundPosition | undefined,
    limit: number,
  ): Promise<ListedRound[]> {
    const [first, ...others] = ranges.map((range) => this.#range(range, after))
    if (first === undefined) return []
    if (others.length === 0) return first.orderBy(desc(rounds.issuedAt), desc(rounds.roundId)).limit(limit)
    return others
      .reduce((all, next) => all.unionAll(next as never) as never, first)
      .orderBy(sql`issued_at DESC`, sql`round_id DESC`)
      .limit(limit)
  }

  #range(range: RoundRange, after: RoundPosition | undefined) {
    const { projectId, module, kind, state } = range
    const { issuedAt, roundId } = rounds
    return this.db
      .select(
        fromTemplate({
          ...{ roundId, kind: rounds.kind, state: rounds.state, projectId: rounds.projectId },
          ...{ moduleAddress: rounds.moduleAddress, function: rounds.function, epoch: rounds.epoch },
          ...{ seq: rounds.seq, receiptHash: rounds.receiptHash, gasUsed: rounds.gasUsed },
          ...{ committeeSize: rounds.committeeSize, votes: rounds.votes, agreeing: rounds.agreeing },
          ...{ audited: rounds.audited, createdAt: issuedAt, finalizedAt: rounds.finalizedAt },
          success: rounds.success,
        }),
      )
      .from(sql`${rounds} INDEXED BY ${sql.raw(indexOf(range))}`)
      .where(
        and(
          projectId === undefined ? undefined : eq(rounds.projectId, projectId),
          // A project has few modules: what it ran of another one is left out of the page.
          module === undefined || projectId !== undefined ? undefined : eq(rounds.moduleAddress, module),
          kind === undefined ? undefined : eq(rounds.kind, kind),
          // In these words, by which the database knows the partial index.
          range.isFinal ? sql`${rounds.state} = 'finalized'` : sql`${rounds.state} <> 'finalized'`,
          state === undefined ? undefined : eq(rounds.state, state),
          after && sql`(${issuedAt}, ${roundId}) < (${after.createdAt}, ${after.name})`,
        ),
      )
      .$dynamic()
  }

  async #epochs(projectId: string | undefined, after: RoundPosition | undefined, limit: number) {
    const { projectId: id, epoch, epochSecs, acceptedAt, receiptHash, attestations } = epochReceipts
    const index =
      projectId === undefined ? 'epoch_receipts_by_acceptance' : 'epoch_receipts_of_project_by_acceptance'
    const conditions = and(
      projectId === undefined ? undefined : eq(id, projectId),
      after && sql`(${acceptedAt}, ${epochName}) < (${after.createdAt}, ${after.name})`,
    )
    // The first row has no epoch.
    const [first, ...epochs] = await this.db.all<AcceptedEpoch & { archivedBefore: number | null }>(sql`
      SELECT NULL AS projectId, NULL AS epoch, NULL AS epochSecs, NULL AS acceptedAt, NULL AS receiptHash, NULL AS attestations,
        (${archivedBefore(projectId)}) AS archivedBefore
      UNION ALL SELECT * FROM (SELECT ${id}, ${epoch}, ${epochSecs}, ${acceptedAt}, ${receiptHash}, ${attestations}, NULL
        FROM ${epochReceipts} INDEXED BY ${sql.raw(index)} WHERE ${conditions ?? sql`true`}
        ORDER BY ${acceptedAt} DESC, ${epochName} DESC LIMIT ${limit})`)
    return { epochs, archivedBefore: first?.archivedBefore ?? null }
  }
}

/** The time before which rounds may be in archives alone: those of a project, or of all. */
export const archivedBefore = (
  projectId: string | undefined,
) => sql`SELECT ${archives.lastIssuedAt} + 1 AS at FROM ${archives}
  ${
    projectId === undefined
      ? sql`ORDER BY ${archives.lastIssuedAt} DESC`
      : sql`WHERE ${archives.projectId} = ${projectId} ORDER BY ${archives.lastIssuedAt} DESC`
  } LIMIT 1`

export type AcceptedEpoch = Pick<
  typeof epochReceipts.$inferSelect,
  'projectId' | 'epoch' | 'epochSecs' | 'acceptedAt' | 'receiptHash' | 'attestations'
>

/** An epoch without a quorum is not known here, and it runs no module. */
const hasEpochs = ({ kind, state, module }: RoundFilter): boolean =>
  (kind === undefined || kind === 'epoch') &&
  (state === undefined || state === 'finalized') &&
  module === undefined

/** The round of an epoch: its votes are the attestations of its receipt. */
export const epochRound = (
  { projectId, epoch, acceptedAt, receiptHash, attestations }: AcceptedEpoch,
  attempt: number,
): ListedRound => ({
  roundId: `epoch:${projectId}:${epoch}:${attempt}`,
  kind: 'epoch',
  state: 'finalized',
  projectId,
  moduleAddress: null,
  function: null,
  epoch,
  seq: null,
  receiptHash,
  success: null,
  gasUsed: null,
  committeeSize: null,
  votes: attestations,
  agreeing: attestations,
  audited: null,
  createdAt: acceptedAt,
  finalizedAt: acceptedAt,
})

export const roundPosition = ({ kind, roundId, createdAt }: ListedRound): RoundPosition => ({
  createdAt,
  name: kind === 'epoch' ? roundId.slice(0, roundId.lastIndexOf(':') + 1) : roundId,
})

function newestFirst(a: ListedRound, b: ListedRound): number {
  const [first, second] = [roundPosition(a), roundPosition(b)]
  return second.createdAt - first.createdAt || (first.name < second.name ? 1 : -1)
}

/** Rounds that one index has in the order of lists. */
interface RoundRange {
  projectId?: string | undefined
  module?: string | undefined
  kind?: 'task' | 'exec' | undefined
  isFinal: boolean
  /** Only this state of the rounds that are not final; left out for all of them. */
  state?: RoundState | undefined
}

/** The ranges that hold the tasks and direct rounds of a list, and nothing else but other modules of its project. */
function rangesOf({ kind, state, projectId, module }: RoundFilter): RoundRange[] {
  if (kind === 'epoch' || kind === 'reward') return []
  const ends = state === undefined ? [true, false] : [state === 'finalized']
  const of = (range: Omit<RoundRange, 'isFinal' | 'state'>) =>
    ends.map((isFinal): RoundRange => ({ ...range, isFinal, state: isFinal ? undefined : state }))
  // Rounds of a project are tasks.
  if (projectId !== undefined) return kind === 'exec' ? [] : of({ projectId, module })
  const kinds = kind === undefined ? (['task', 'exec'] as const) : [kind]
  return kinds.flatMap((one) => of({ kind: one, module }))
}

/** The index that begins with the filters of a range. */
function indexOf({ projectId, module, isFinal, state }: RoundRange): string {
  const all = isFinal ? 'rounds_final' : 'rounds_other'
  const ofWhat = module === undefined ? all : `${all}_of_module`
  return `${projectId === undefined ? ofWhat : `${all}_of_project`}${state === undefined ? '' : '_by_state'}`
}
