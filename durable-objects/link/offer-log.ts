import type { DeclineReason } from '../../protocol/link/index.ts'
import { type Sql, sqlOf } from '../sql.ts'
import { migrate } from '../sql-migrations.ts'
import { linkMigrations } from './migrations.ts'
import type { LinkOffer } from './types.ts'

/** `offered` and `accepted` hold a slot. */
export type OfferState = 'offered' | 'accepted' | 'declined' | 'voted' | 'expired'

/** The state of an offer. A member that is left out does not apply. */
export interface OfferStanding {
  readonly voteBy: number
  readonly state: OfferState
  readonly sessionId: string
  readonly reason?: DeclineReason
  /** Whether the node may have declined because it did not know yet that one of its slots was free. */
  readonly isExcused?: boolean
  /** Until when it could be accepted, of one that was declined. */
  readonly acceptBy?: number
  readonly answer?: string
  /** Whether the round may not know that it was accepted or declined. */
  readonly isUntold?: boolean
  /** Whether its node had said nothing of it when what it says began to be told at once. */
  readonly isSilent?: boolean
  /** Why the link may have missed a message of its node: the session that the link itself lost, an end of its process, or a vote that found no round. */
  readonly unheard?: string
}

export interface OfferChange {
  readonly offerId: string
  /** How it stands from then on. */
  readonly standing: OfferStanding | { readonly voteBy: number; readonly state: 'removed' }
  /** The offer, if it is new or was renewed. */
  readonly offer?: LinkOffer
}

type Entry = readonly [offerId: string, standing: OfferChange['standing'], hasOffer?: 1]

/** Free rows that are kept, at least. */
const spareRows = 16
/** A value of SQLite has 2 MB at most, and a character takes up to three bytes. The row of one offer is always smaller. */
const rowCharsMax = 500_000

/**
 * The stored data of the offers of a link, and the only SQL for it. Each row that is written or deleted costs: changes of one moment are
 * one row, and a row whose offers are all forgotten is written over.
 */
export class OfferLog {
  readonly #sql: Sql
  /** The last `vote_by` of the offers of each row, in the order in which rows were written. */
  readonly #rows = new Map<number, number>()
  /** Rows whose offers are forgotten, in the same order. All of them were written before the others. */
  readonly #free: number[] = []
  /** The row that has the content of each open offer. */
  readonly #rowOf = new Map<string, number>()
  #lastRow = 0
  #seq = 0

  constructor(storage: DurableObjectStorage) {
    migrate(storage, linkMigrations)
    this.#sql = sqlOf(storage)
  }

  /** How all offers stand: asked once, before anything is written. */
  read(): Map<string, OfferStanding> {
    const standings = new Map<string, OfferStanding>()
    for (const { id, seq, until, entries } of this.#sql<{
      id: number
      seq: number
      until: number
      entries: string
    }>`SELECT id, seq, until, entries FROM changes ORDER BY seq`) {
      this.#rows.set(id, until)
      this.#lastRow = Math.max(this.#lastRow, id)
      this.#seq = seq
      for (const [offerId, standing, hasOffer] of JSON.parse(entries) as Entry[]) {
        if (standing.state === 'removed') standings.delete(offerId)
        else standings.set(offerId, standing)
        if (!isOpen(standing)) this.#rowOf.delete(offerId)
        else if (hasOffer) this.#rowOf.set(offerId, id)
      }
    }
    return standings
  }

  /** The last `vote_by` of the oldest row, before which nothing is forgotten; null without any row. */
  get first(): number | null {
    const [first = null] = this.#rows.values()
    return first
  }

  /** The content of an open offer. */
  offer(offerId: string): LinkOffer {
    const id = this.#rowOf.get(offerId) ?? null
    const [row] = this.#sql<{ offer: string | null }>`
      SELECT offers -> ${`$."${offerId}"`} AS offer FROM changes WHERE id = ${id}`
    if (!row?.offer) throw new Error(`nothing is stored of the offer ${offerId}`)
    return JSON.parse(row.offer) as LinkOffer
  }

  /** Stores changes in one row, unless what the offers say is too much for one. */
  write(changes: readonly OfferChange[]): void {
    let together: OfferChange[] = []
    let texts = new Map<string, string>()
    let chars = 0
    for (const change of changes) {
      const text = change.offer === undefined ? null : JSON.stringify(change.offer)
      if (text !== null && texts.size > 0 && chars + text.length > rowCharsMax) {
        this.#writeRow(together, texts)
        ;[together, texts, chars] = [[], new Map(), 0]
      }
      together.push(change)
      if (text === null) continue
      texts.set(change.offerId, text)
      chars += text.length
    }
    this.#writeRow(together, texts)
  }

  /** The row that is written over is the oldest: were it a newer one, the next process would take what an older one says for how its offers stand. */
  #writeRow(changes: readonly OfferChange[], texts: ReadonlyMap<string, string>): void {
    const id = this.#free[0] ?? this.#lastRow + 1
    const until = changes.reduce((last, { standing }) => Math.max(last, standing.voteBy), 0)
    const entries = changes.map(
      ({ offerId, standing, offer }): Entry => (offer ? [offerId, standing, 1] : [offerId, standing]),
    )
    const offers = [...texts].map(([offerId, text]) => `${JSON.stringify(offerId)}:${text}`)
    this.#sql`
      INSERT OR REPLACE INTO changes (id, seq, until, entries, offers)
      VALUES (${id}, ${this.#seq + 1}, ${until}, ${JSON.stringify(entries)},
        ${offers.length === 0 ? null : `{${offers.join()}}`})`
    this.#free.shift()
    this.#seq += 1
    this.#lastRow = Math.max(this.#lastRow, id)
    this.#rows.set(id, until)
    for (const { offerId, standing, offer } of changes)
      if (offer && isOpen(standing)) this.#rowOf.set(offerId, id)
  }

  /** Nobody asks any more what it says. */
  isOver(offerId: string): void {
    this.#rowOf.delete(offerId)
  }

  /**
   * Offers whose time was over before are forgotten, with the oldest rows as far as they have no others. Of these rows as many stay as others
   * were written in the same time.
   */
  forget(before: number): void {
    for (const [id, until] of this.#rows) {
      if (until >= before) break
      this.#rows.delete(id)
      this.#free.push(id)
    }
    const kept = Math.max(spareRows, this.#rows.size)
    const surplus = this.#free.splice(0, Math.max(0, this.#free.length - kept))
    if (surplus.length > 0)
      this.#sql`DELETE FROM changes WHERE id IN (SELECT value FROM json_each(${JSON.stringify(surplus)}))`
  }
}

export const isOpen = ({ state }: { readonly state: string }): boolean =>
  state === 'offered' || state === 'accepted'
