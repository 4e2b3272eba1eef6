import { and, desc, eq, sql } from 'drizzle-orm'
import type { RoundState } from '../../protocol/rounds/index.ts'
import { Store } from './database.ts'
import { epochReceipts, rounds } from './schema/index.ts'
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
  /** `limit` of them after `after`. @param attemptOf - The attempt in which an epoch was attested. */
  async list(
    filter: RoundFilter,
    after: RoundPosition | undefined,
    limit: number,
    attemptOf: (epoch: AcceptedEpoch) => number,
  ): Promise<ListedRound[]> {
    const [epochs, ...rounds] = await Promise.all([
      hasEpochs(filter) ? this.#epochs(filter.projectId, after, limit) : [],
      ...rangesOf(filter).map((range) => this.#rounds(range, after, limit)),
    ])
    const all = [...rounds.flat(), ...epochs.map((epoch) => epochRound(epoch, attemptOf(epoch)))]
    return all.sort(newestFirst).slice(0, limit)
  }

  async #rounds(range: RoundRange, after: RoundPosition | undefined, limit: number): Promise<ListedRound[]> {
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
        }),
      )
      .from(sql`${rounds} INDEXED BY ${sql.raw(indexFor(range))}`)
      .where(
        and(
          projectId === undefined ? undefined : eq(rounds.projectId, projectId),
          module === undefined ? undefined : eq(rounds.moduleAddress, module),
          kind === undefined ? undefined : eq(rounds.kind, kind),
          state === undefined ? undefined : eq(rounds.state, state),
          after && sql`(${issuedAt}, ${roundId}) < (${after.createdAt}, ${after.name})`,
        ),
      )
      .orderBy(desc(issuedAt), desc(roundId))
      .limit(limit)
  }

  async #epochs(
    projectId: string | undefined,
    after: RoundPosition | undefined,
    limit: number,
  ): Promise<AcceptedEpoch[]> {
    const { projectId: id, epoch, epochSecs, acceptedAt, receiptHash, attestations } = epochReceipts
    const index =
      projectId === undefined ? 'epoch_receipts_by_acceptance' : 'epoch_receipts_of_project_by_acceptance'
    return this.db
      .select(fromTemplate({ projectId: id, epoch, epochSecs, acceptedAt, receiptHash, attestations }))
      .from(sql`${epochReceipts} INDEXED BY ${sql.raw(index)}`)
      .where(
        and(
          projectId === undefined ? undefined : eq(id, projectId),
          after && sql`(${acceptedAt}, ${epochName}) < (${after.createdAt}, ${after.name})`,
        ),
      )
      .orderBy(desc(acceptedAt), desc(epochName))
      .limit(limit)
  }
}

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
interface RoundRange extends Omit<RoundFilter, 'kind'> {
  kind?: 'task' | 'exec' | undefined
}

/** The ranges that hold the tasks and direct rounds of a list, and nothing else. */
function rangesOf({ kind, ...filter }: RoundFilter): RoundRange[] {
  if (kind === 'epoch' || kind === 'reward') return []
  // Rounds of a project are tasks.
  if (filter.projectId !== undefined) return kind === 'exec' ? [] : [filter]
  if (filter.module === undefined || kind !== undefined) return [{ ...filter, kind }]
  return [
    { ...filter, kind: 'task' },
    { ...filter, kind: 'exec' },
  ]
}

/** The index that begins with every filter of a range. */
function indexFor({ projectId, module, kind, state }: RoundRange): string {
  if (projectId !== undefined) {
    if (module === undefined) return state === undefined ? 'rounds_of_project' : 'rounds_of_project_by_state'
    return state === undefined ? 'rounds_of_project_by_module' : 'rounds_of_project_by_module_and_state'
  }
  const andState = state === undefined ? '' : '_and_state'
  if (module !== undefined) return `rounds_of_module_by_kind${andState}`
  if (kind !== undefined) return `rounds_by_kind${andState}`
  return state === undefined ? 'rounds_newest' : 'rounds_by_state'
}
