import type { DeclineReason } from '../../protocol/relay/index.ts'
import { migrate } from '../sql-migrations.ts'
import type { LinkOffer } from './types.ts'

/** `offered` and `accepted` hold a slot. */
export type OfferState = 'offered' | 'accepted' | 'declined' | 'voted' | 'expired'

export interface KeptOffer {
  readonly offer: LinkOffer
  readonly state: OfferState
  /** The session that was sent it last. */
  readonly sessionId: string
  readonly reason: DeclineReason | null
  /** What the round answered to the vote. */
  readonly answer: string | null
}

/**
 * For so long after its `vote_by` an offer is kept, in seconds: a vote that comes late is the round's to refuse, and a
 * node that asks again is told what became of its vote.
 */
const keptSecs = 300

const migrations = [
  `CREATE TABLE offers (
    offer_id TEXT PRIMARY KEY,
    offer TEXT NOT NULL,
    state TEXT NOT NULL,
    session_id TEXT NOT NULL,
    vote_by INTEGER NOT NULL,
    reason TEXT,
    answer TEXT,
    -- Whether the round knows that it was accepted or declined.
    told INTEGER NOT NULL DEFAULT 1
  ) WITHOUT ROWID`,
]

interface Row extends Record<string, SqlStorageValue> {
  offer: string
  state: OfferState
  session_id: string
  reason: DeclineReason | null
  answer: string | null
}

const open = "state IN ('offered', 'accepted')"

/** The offers of a link, the only SQL of it. Each change names the states it may follow. */
export class OfferLedger {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    migrate(storage, migrations)
    this.#sql = storage.sql
  }

  find(offerId: string): KeptOffer | null {
    const [row] = this.#sql.exec<Row>('SELECT * FROM offers WHERE offer_id = ?', offerId)
    return row === undefined ? null : keptOf(row)
  }

  open(): KeptOffer[] {
    return [...this.#sql.exec<Row>(`SELECT * FROM offers WHERE ${open} ORDER BY vote_by, offer_id`)].map(
      keptOf,
    )
  }

  /** Offers that hold a slot. */
  countOpen(): number {
    return this.#count(`SELECT count(*) AS n FROM offers WHERE ${open}`)
  }

  countAccepted(): number {
    return this.#count("SELECT count(*) AS n FROM offers WHERE state = 'accepted'")
  }

  isEmpty(): boolean {
    return this.#count('SELECT count(*) AS n FROM (SELECT 1 FROM offers LIMIT 1)') === 0
  }

  add(offer: LinkOffer, sessionId: string): void {
    this.#sql.exec(
      "INSERT INTO offers (offer_id, offer, state, session_id, vote_by) VALUES (?, ?, 'offered', ?, ?)",
      offer.offer_id,
      JSON.stringify(offer),
      sessionId,
      offer.vote_by,
    )
  }

  setSession(offerId: string, sessionId: string): void {
    this.#sql.exec('UPDATE offers SET session_id = ? WHERE offer_id = ?', sessionId, offerId)
  }

  accept(offerId: string): void {
    this.#sql.exec(
      "UPDATE offers SET state = 'accepted', told = 0 WHERE offer_id = ? AND state = 'offered'",
      offerId,
    )
  }

  decline(offerId: string, reason: DeclineReason): void {
    this.#sql.exec(
      `UPDATE offers SET state = 'declined', reason = ?, told = 0 WHERE offer_id = ? AND ${open}`,
      reason,
      offerId,
    )
  }

  vote(offerId: string, answer: string): void {
    this.#sql.exec("UPDATE offers SET state = 'voted', answer = ? WHERE offer_id = ?", answer, offerId)
  }

  remove(offerId: string): void {
    this.#sql.exec('DELETE FROM offers WHERE offer_id = ?', offerId)
  }

  /** Frees the slots of what is over, and forgets what nobody can ask about any more. */
  expire(now: number): void {
    this.#sql.exec(`UPDATE offers SET state = 'expired' WHERE ${open} AND vote_by < ?`, now)
    this.#sql.exec(`DELETE FROM offers WHERE NOT (${open}) AND vote_by < ?`, now - keptSecs)
  }

  /** What the round has not heard of. */
  untold(): KeptOffer[] {
    return [...this.#sql.exec<Row>('SELECT * FROM offers WHERE told = 0')].map(keptOf)
  }

  hasUntold(): boolean {
    return this.#count('SELECT count(*) AS n FROM (SELECT 1 FROM offers WHERE told = 0 LIMIT 1)') > 0
  }

  /** The round heard of an offer in this state; what became of it since is another thing to tell. */
  told(offerId: string, state: OfferState): void {
    this.#sql.exec('UPDATE offers SET told = 1 WHERE offer_id = ? AND state = ?', offerId, state)
  }

  /** When, in network time, an offer expires or is forgotten next; null without one. */
  nextDeadline(): number | null {
    const [row] = this.#sql.exec<{ at: number | null }>(
      `SELECT min(iif(${open}, vote_by, vote_by + ${keptSecs})) + 1 AS at FROM offers`,
    )
    return row?.at ?? null
  }

  #count(query: string): number {
    return this.#sql.exec<{ n: number }>(query).one().n
  }
}

const keptOf = ({ offer, state, session_id, reason, answer }: Row): KeptOffer => ({
  offer: JSON.parse(offer) as LinkOffer,
  state,
  sessionId: session_id,
  reason,
  answer,
})
