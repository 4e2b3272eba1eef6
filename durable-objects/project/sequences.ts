import { epochStart } from '../../protocol/committees/index.ts'
import { type Sql, sqlOf } from '../sql.ts'
import type { EpochTerms } from './tasks.ts'

/** When the hub went on from a backup, in Unix seconds. */
export const resumedAtKey = 'resumed_at'
/** More than an object gives in a second; those of the longest epoch, a day, stay below 2³², which a task allows. */
const seqsPerSec = 10_000

/** The next `seq` of an epoch; its stored value, which is lower while tasks with later numbers are stored; how many were left out. */
interface Sequence {
  readonly next: number
  readonly stored: number
  readonly skipped: number
}

/** The numbers that tasks of a project have within their epochs: no two tasks get the same one. */
export class Sequences {
  readonly #storage: DurableObjectStorage
  readonly #sql: Sql
  readonly #byEpoch = new Map<number, Sequence>()

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = sqlOf(storage)
  }

  of(epoch: number): Sequence {
    const known = this.#byEpoch.get(epoch)
    if (known !== undefined) return known
    const [row] = this.#sql<{ next: number; skipped: number }>`
      SELECT next, skipped FROM stored_sequences WHERE epoch = ${epoch}`
    const { next, skipped } = row ?? { next: 0, skipped: 0 }
    const sequence = { next, stored: next, skipped }
    this.#byEpoch.set(epoch, sequence)
    return sequence
  }

  /** A task has it. */
  given(epoch: number, seq: number): void {
    const sequence = this.of(epoch)
    this.#byEpoch.set(epoch, { ...sequence, next: Math.max(sequence.next, seq + 1) })
  }

  /** In an epoch that began before a restore, nobody gets a `seq` that a task which was lost may have had, however often it is restored. */
  passLost({ epoch, epochSecs }: EpochTerms): void {
    const resumedAt = this.#storage.kv.get<number>(resumedAtKey) ?? -1
    const { next, skipped } = this.of(epoch)
    const free = (resumedAt + 1 - epochStart(epoch, epochSecs)) * seqsPerSec
    if (next >= free) return
    this.#store(epoch, { next: free, stored: free, skipped: skipped + free - next })
  }

  /** No other task gets the `seq` of one that is forgotten. One stored value covers all numbers that were given by then. */
  keep(epoch: number, seq: number): void {
    const { next, stored, skipped } = this.of(epoch)
    if (seq >= stored) this.#store(epoch, { next, stored: next, skipped })
  }

  #store(epoch: number, sequence: Sequence): void {
    const { next, skipped } = sequence
    this.#sql`
      INSERT OR REPLACE INTO stored_sequences (epoch, next, skipped) VALUES (${epoch}, ${next}, ${skipped})`
    this.#byEpoch.set(epoch, sequence)
  }
}
