import { sql } from 'drizzle-orm'
import type { RoundState } from '../../protocol/consensus/index.ts'
import { type Database, read } from './database.ts'
import { epochReceipts } from './schema.ts'

/** What lists show of a round. */
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
  audited: number | null
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
export class RoundLists {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /** Of both kinds, `limit` after `after`. @param attemptOf - The attempt in which an epoch was attested. */
  async list(
    filter: RoundFilter,
    after: RoundPosition | undefined,
    limit: number,
    attemptOf: (epoch: AcceptedEpoch) => number,
  ): Promise<ListedRound[]> {
    const [rounds, epochs] = await Promise.all([
      filter.kind === 'epoch' || filter.kind === 'reward' ? [] : this.#rounds(filter, after, limit),
      hasEpochs(filter) ? this.#epochs(filter.projectId, after, limit) : [],
    ])
    const all = [...rounds, ...epochs.map((epoch) => epochRound(epoch, attemptOf(epoch)))]
    return all.sort(newestFirst).slice(0, limit)
  }

  async #rounds(
    { projectId, module, kind, state }: RoundFilter,
    after: RoundPosition | undefined,
    limit: number,
  ): Promise<ListedRound[]> {
    const filters = [
      ...(projectId === undefined ? [] : [sql`project_id = ${projectId}`]),
      ...(module === undefined ? [] : [sql`module_address = ${module}`]),
      ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
      ...(state === undefined ? [] : [sql`state = ${state}`]),
      ...(after === undefined ? [] : [sql`(issued_at, round_id) < (${after.createdAt}, ${after.name})`]),
    ]
    return read(() =>
      this.#db.all<ListedRound>(sql`
        SELECT round_id AS roundId, kind, state, project_id AS projectId, module_address AS moduleAddress, function,
          epoch, seq, receipt_hash AS receiptHash, gas_used AS gasUsed, committee_size AS committeeSize, votes,
          agreeing, audited, issued_at AS createdAt, finalized_at AS finalizedAt
        FROM rounds INDEXED BY ${sql.raw(indexFor({ projectId, module, kind, state }))}
        ${filters.length === 0 ? sql`` : sql`WHERE ${sql.join(filters, sql` AND `)}`}
        ORDER BY issued_at DESC, round_id DESC LIMIT ${limit}`),
    )
  }

  async #epochs(
    projectId: string | undefined,
    after: RoundPosition | undefined,
    limit: number,
  ): Promise<AcceptedEpoch[]> {
    const filters = [
      ...(projectId === undefined ? [] : [sql`project_id = ${projectId}`]),
      ...(after === undefined
        ? []
        : [sql`(accepted_at, ${epochName}) < (${after.createdAt}, ${after.name})`]),
    ]
    return read(() =>
      this.#db.all<AcceptedEpoch>(sql`
        SELECT project_id AS projectId, epoch, epoch_secs AS epochSecs, accepted_at AS acceptedAt,
          receipt_hash AS receiptHash, attestations
        FROM ${epochReceipts} INDEXED BY ${sql.raw(
          projectId === undefined
            ? 'epoch_receipts_by_acceptance'
            : 'epoch_receipts_of_project_by_acceptance',
        )}
        ${filters.length === 0 ? sql`` : sql`WHERE ${sql.join(filters, sql` AND `)}`}
        ORDER BY accepted_at DESC, ${epochName} DESC LIMIT ${limit}`),
    )
  }
}

/** An epoch that a quorum of validators attested. */
export interface AcceptedEpoch {
  projectId: string
  epoch: number
  epochSecs: number
  acceptedAt: number
  receiptHash: string
  attestations: number
}

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

/** Where the list goes on after a round. */
export const roundPosition = ({ kind, roundId, createdAt }: ListedRound): RoundPosition => ({
  createdAt,
  name: kind === 'epoch' ? roundId.slice(0, roundId.lastIndexOf(':') + 1) : roundId,
})

function newestFirst(a: ListedRound, b: ListedRound): number {
  const [first, second] = [roundPosition(a), roundPosition(b)]
  return second.createdAt - first.createdAt || (first.name < second.name ? 1 : -1)
}

/** The range to read; a further filter is held against its rows. */
function indexFor({ projectId, module, kind, state }: RoundFilter): string {
  const byState = state === undefined ? '' : '_by_state'
  if (projectId !== undefined) return `rounds_of_project${byState}`
  if (module !== undefined) return `rounds_of_module${byState}`
  if (state !== undefined) return 'rounds_by_state'
  return kind === undefined ? 'rounds_newest' : 'rounds_by_kind'
}
