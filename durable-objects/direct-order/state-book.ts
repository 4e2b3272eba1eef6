import type { StateHead, StateTransition } from '../../protocol/execution/index.ts'
import type { ExecutionVote } from '../../protocol/rounds/index.ts'
import type { CopiedTable } from '../object-copy.ts'
import { type Sql, sqlOf } from '../sql.ts'
import { migrate } from '../sql-migrations.ts'
import { directOrderMigrations } from './migrations.ts'

/** As long as an `Idempotency-Key` holds. */
const namedSeconds = 24 * 3_600
/** A row may have 2 MB. */
const votesTextMax = 1_500_000
/** Modules whose storage one round may look at: a validator is told the agreed state of at most this many. */
export const modulesMax = 256
/** Modules that a validator is told of beforehand. */
const hintsMax = 64
/** The modules that the last round of a module looked at are forgotten after this many further rounds. */
export const touchedMax = 1_024

/**
 * Tables of the order that a backup has. Validators know the heads of modules, and without a head the book takes theirs; a head from a
 * backup would refuse every round that was decided after it.
 */
export const directOrderTables: readonly CopiedTable[] = [
  { name: 'touched', key: 'id' },
  { name: 'named', key: 'nonce' },
]

export interface NamedTry {
  /** The request that it runs; another request under the same name is refused. */
  readonly request: string
  readonly issuedAt: number
  readonly state: 'open' | 'decided'
}

/** States of modules' storage that quorums signed, in the order in which direct rounds were decided. */
export class StateBook {
  readonly #storage: DurableObjectStorage
  readonly #sql: Sql

  constructor(storage: DurableObjectStorage) {
    migrate(storage, directOrderMigrations)
    this.#storage = storage
    this.#sql = sqlOf(storage)
  }

  heads(addresses: Iterable<string>): StateHead[] {
    return [...addresses].map((address) => {
      const [row] = this.#sql<{ seq: number; root: string }>`
        SELECT seq, root FROM heads WHERE address = ${address}`
      return { module_address: address, root: row?.root ?? null, seq: row?.seq ?? null }
    })
  }

  /** Modules whose storage a round of this one is likely to look at. */
  touchedBy(entry: string): string[] {
    const [row] = this.#sql<{ addresses: string }>`SELECT addresses FROM touched WHERE entry = ${entry}`
    return row === undefined ? [entry] : [...new Set([entry, ...(JSON.parse(row.addresses) as string[])])]
  }

  /** The votes that say what the heads of modules are, round by round. */
  certificates(addresses: Iterable<string>): ExecutionVote[][] {
    const rounds = this.#sql<{ votes: string }>`
      SELECT votes FROM certificates WHERE round_id IN
        (SELECT round_id FROM heads WHERE address IN (SELECT value FROM json_each(${JSON.stringify([...addresses])})))`
    return rounds.map(({ votes }) => JSON.parse(votes) as ExecutionVote[])
  }

  /**
   * Stores the equal votes of a quorum: from here on the round is decided. @returns False if their state does not follow from states
   * decided before, if the round looked at too many modules, or if the votes are too large to be kept.
   */
  decide(votes: readonly ExecutionVote[]): boolean {
    const [{ round_id: roundId, state = [], round } = { round_id: '' }] = votes
    if (round !== undefined && this.#isDecided(round)) return true
    if (state.length > modulesMax) return false
    const text = JSON.stringify(votes)
    const follows = this.heads(state.map(({ module_address }) => module_address)).every(
      ({ seq, root }, i) => seq === null || (seq === state[i]!.pre_seq && root === state[i]!.pre_root),
    )
    if (!follows || text.length > votesTextMax) return false
    // The votes say nothing new about a module that was only read, and one caller can have many modules of others read.
    const moved = state.filter((one) => one.post_seq !== one.pre_seq || one.post_root !== one.pre_root)
    this.#storage.transactionSync(() => {
      this.#moveHeads(moved, roundId)
      if (moved.length > 0) this.#sql`INSERT OR REPLACE INTO certificates VALUES (${roundId}, ${text})`
      if (round !== undefined) this.#noteTouched(round.module_address, state)
      this.#sql`UPDATE named SET state = 'decided' WHERE nonce = ${round?.nonce ?? ''}`
    })
    return true
  }

  #noteTouched(entry: string, state: readonly StateTransition[]): void {
    const addresses = JSON.stringify(state.slice(0, hintsMax).map(({ module_address }) => module_address))
    this.#sql`INSERT OR REPLACE INTO touched (entry, addresses) VALUES (${entry}, ${addresses})`
    this.#sql`DELETE FROM touched WHERE id <= (SELECT max(id) FROM touched) - ${touchedMax}`
  }

  /** Certificates that the heads were of go with the last of them. */
  #moveHeads(moved: readonly StateTransition[], roundId: string): void {
    const addresses = JSON.stringify(moved.map(({ module_address }) => module_address))
    const before = this.#sql<{ round_id: string }>`
      SELECT DISTINCT round_id FROM heads WHERE address IN (SELECT value FROM json_each(${addresses}))`
    for (const { module_address, post_seq, post_root } of moved)
      this
        .#sql`INSERT OR REPLACE INTO heads VALUES (${module_address}, ${post_seq}, ${post_root}, ${roundId})`
    this.#sql`
      DELETE FROM certificates
      WHERE round_id IN (SELECT value FROM json_each(${JSON.stringify(before.map(({ round_id }) => round_id))}))
        AND NOT EXISTS (SELECT 1 FROM heads WHERE heads.round_id = certificates.round_id)`
  }

  namedTry(nonce: string): NamedTry | null {
    const [row] = this.#sql<NamedTry>`
      SELECT request, issued_at AS issuedAt, state FROM named WHERE nonce = ${nonce}`
    return row ?? null
  }

  /** Before anybody is asked. A try before it that was not decided is over. */
  beginNamed(nonce: string, request: string, issuedAt: number): void {
    this.#sql`DELETE FROM named WHERE issued_at < ${issuedAt - namedSeconds}`
    this.#sql`INSERT OR REPLACE INTO named VALUES (${nonce}, ${request}, ${issuedAt}, 'open')`
  }

  #isDecided({ nonce, issued_at }: ExecutionVote['round']): boolean {
    const known = this.namedTry(nonce)
    return known?.state === 'decided' && known.issuedAt === issued_at
  }
}
