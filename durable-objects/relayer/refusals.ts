import type { SendRefusal } from './send-errors.ts'

/** Refusals in a row after which they are believed: one node may be wrong. */
const timesMin = 3
/** Nodes may refuse the transaction that is first in line for this long, for any reason, before another one is sent in its place. */
const patienceMs = 10 * 60_000

/**
 * How long nodes have refused a nonce, with no node taking it in between. Stored, since a restart must not reset the time of a refusal that
 * never ends. After {@link patienceMs} without a refusal the count starts again.
 */
export class Refusals {
  readonly #sql: SqlStorage
  /** For what nodes call invalid, and none has ever taken. */
  readonly #stuckMs: number

  constructor(storage: DurableObjectStorage, stuckMs: number) {
    this.#sql = storage.sql
    this.#stuckMs = stuckMs
  }

  /** Notes a node's answer; null for taken. Passing reasons count only of the first in line, which others may be refused for. */
  note(nonce: number, refusal: SendRefusal | null, isFirst: boolean, nowMs: number): void {
    const forGood = refusal === 'invalid'
    if (forGood || (isFirst && (refusal === 'temporary' || refusal === 'insufficient_funds')))
      this.#sql.exec(
        `INSERT INTO refusals VALUES (?1, ?2, ?2, 1, ?3) ON CONFLICT (nonce) DO UPDATE SET
          since_ms = iif(?2 - last_ms > ?4, ?2, since_ms),
          times = iif(?2 - last_ms > ?4, 1, times + 1),
          for_good = iif(?2 - last_ms > ?4, ?3, min(for_good, ?3)),
          last_ms = ?2`,
        nonce,
        nowMs,
        forGood ? 1 : 0,
        patienceMs,
      )
    else if (!isFirst || refusal === null || refusal === 'already_known') this.clear(nonce)
  }

  /** Whether the nonce has been refused often and long enough to be refused for ever. @param taken - Some node had it in its pool before. */
  areBelieved(nonce: number, taken: boolean, nowMs: number): boolean {
    const [row] = this.#sql.exec('SELECT since_ms, times, for_good FROM refusals WHERE nonce = ?', nonce)
    if (row === undefined || (row.times as number) < timesMin) return false
    const patience = row.for_good === 1 && !taken ? this.#stuckMs : patienceMs
    return nowMs - (row.since_ms as number) >= patience
  }

  clear(nonce: number): void {
    this.#sql.exec('DELETE FROM refusals WHERE nonce = ?', nonce)
  }
}
