import type { DeclineReason } from '../../protocol/link/index.ts'
import { type Sql, sqlOf } from '../sql.ts'
import { migrate } from '../sql-migrations.ts'
import { linkMigrations } from './migrations.ts'
import type { LinkOffer } from './types.ts'

/** `offered` and `accepted` hold a slot. */
export type OfferState = 'offered' | 'accepted' | 'declined' | 'voted' | 'expired'

export interface KeptOffer {
  readonly offer: LinkOffer
  readonly state: OfferState
  readonly sessionId: string
  readonly reason: DeclineReason | null
  /** Whether the node may have declined because it did not know yet that one of its slots was free. */
  readonly isExcused: boolean
  readonly answer: string | null
}

/** An offer is kept so many seconds after its `vote_by`: the round refuses late votes, and a node may ask what became of its vote. */
const keptSecs = 300
/** A node learns at most so many seconds late that the time of an offer is over; until then it takes the slot for used. */
const freedSecs = 10
/** What came to its end within so many seconds is forgotten together. */
const forgetSecs = 60
/** Votes that come while other offers are open are stored together, after this at the latest. */
const votesStoredMs = 250
const storedTogetherMax = 64

/** Why the round may not know in time what the node said: it did not take its vote, or was not told its answer. */
const voteLost = 'vote'
const answerUntold = 'answer'

interface Row {
  offer_id: string
  offer: string
  state: OfferState
  session_id: string
  vote_by: number
  reason: DeclineReason | null
  is_excused: number
  answer: string | null
  told: number
}

interface OpenOffer {
  readonly state: 'offered' | 'accepted'
  readonly voteBy: number
}

/**
 * The offers of a link, the only SQL of it. Each change names the states it may follow. What every frame asks for is in memory: there are
 * as many rows as a device had offers in minutes. Each row that is written costs, so a vote is stored with others that come at the same time.
 */
export class OfferLedger {
  readonly #sql: Sql
  readonly #open = new Map<string, OpenOffer>()
  /** Rows of open offers, as far as they were read or written. */
  readonly #rows = new Map<string, KeptOffer>()
  /** Answers to the votes on offers whose rows say that they are open. */
  readonly #voted = new Map<string, string>()
  /** Of these, with `vote_by`, those that are in memory alone. */
  readonly #unstoredVotes = new Map<string, number>()
  #storingVotes: ReturnType<typeof setTimeout> | undefined
  /** Accepted, which is in memory alone: the vote says it as well, or it is told and stored by {@link storeAccepted}. */
  readonly #unstored = new Set<string>()
  /** Accepted or declined, and the round may not know it. */
  readonly #untold = new Set<string>()
  /** How many votes on each offer their rounds have not answered yet. */
  readonly #votesUnderWay = new Map<string, number>()
  /** No offer that is over had its time before this; null without one. */
  #firstOver: number | null = null

  constructor(storage: DurableObjectStorage) {
    migrate(storage, linkMigrations)
    this.#sql = sqlOf(storage)
    for (const { offers } of this.#sql<{ offers: string }>`SELECT offers FROM votes`)
      for (const [offerId, answer] of JSON.parse(offers) as [string, string][])
        this.#voted.set(offerId, answer)
    const rows = this.#sql<Row>`SELECT offer_id, state, vote_by, told FROM offers`
    for (const { offer_id: offerId, state, vote_by: voteBy, told } of rows) {
      const isVoted = this.#voted.has(offerId)
      if (told === 0 && !isVoted) this.#untold.add(offerId)
      if (isOpen({ state }) && !isVoted)
        this.#open.set(offerId, { state: state as OpenOffer['state'], voteBy })
      else this.#noteOver(voteBy)
    }
  }

  find(offerId: string): KeptOffer | null {
    const kept = this.#rows.get(offerId) ?? this.#read(offerId)
    if (kept === null) return null
    const answer = this.#voted.get(offerId)
    if (answer !== undefined) return { ...kept, state: 'voted', answer }
    return { ...kept, state: this.#open.get(offerId)?.state ?? kept.state }
  }

  open(): KeptOffer[] {
    const byTime = [...this.#open].sort(
      ([one, a], [other, b]) => a.voteBy - b.voteBy || (one < other ? -1 : 1),
    )
    return byTime.flatMap(([offerId]) => this.find(offerId) ?? [])
  }

  countOpen(): number {
    return this.#open.size
  }

  countAccepted(): number {
    return [...this.#open.values()].filter(({ state }) => state === 'accepted').length
  }

  isEmpty(): boolean {
    return this.#open.size === 0 && this.#firstOver === null
  }

  add(offer: LinkOffer, sessionId: string): void {
    const { offer_id: offerId, vote_by: voteBy } = offer
    this.#sql`
      INSERT INTO offers (offer_id, offer, state, session_id, vote_by)
      VALUES (${offerId}, ${JSON.stringify(offer)}, 'offered', ${sessionId}, ${voteBy})`
    this.#open.set(offerId, { state: 'offered', voteBy })
    this.#rows.set(offerId, {
      offer,
      state: 'offered',
      sessionId,
      reason: null,
      isExcused: false,
      answer: null,
    })
  }

  /** The times of an offer are those that its round says last. */
  renew(offer: LinkOffer): void {
    const { offer_id: offerId, vote_by: voteBy } = offer
    this.#sql`
      UPDATE offers SET offer = ${JSON.stringify(offer)}, vote_by = ${voteBy} WHERE offer_id = ${offerId}`
    this.#rows.delete(offerId)
    const known = this.#open.get(offerId)
    if (known !== undefined) this.#open.set(offerId, { ...known, voteBy })
  }

  setSession(offerId: string, sessionId: string): void {
    this.#sql`UPDATE offers SET session_id = ${sessionId} WHERE offer_id = ${offerId}`
    this.#rows.delete(offerId)
  }

  accept(offerId: string): void {
    const offer = this.#open.get(offerId)
    if (offer?.state !== 'offered') return
    this.#open.set(offerId, { ...offer, state: 'accepted' })
    this.#unstored.add(offerId)
  }

  /** Accepted, which neither the round knows nor the storage. From now on the round has to be told. */
  takeAccepted(): KeptOffer[] {
    for (const offerId of this.#unstored) this.#untold.add(offerId)
    return [...this.#unstored].flatMap((offerId) => this.find(offerId) ?? [])
  }

  /** Stores those of them that are still in memory alone. */
  storeAccepted(accepted: readonly KeptOffer[]): void {
    const unstored = accepted.map(({ offer }) => offer.offer_id).filter((id) => this.#unstored.delete(id))
    for (const offerId of unstored)
      this.#sql`
        UPDATE offers SET state = 'accepted', told = ${Number(!this.#untold.has(offerId))} WHERE offer_id = ${offerId}`
  }

  hasUnstored(): boolean {
    return this.#unstored.size > 0
  }

  /** Until its round was told in time, a node that declined in time was not heard. */
  decline(offerId: string, reason: DeclineReason, now: number): void {
    const kept = this.find(offerId)
    if (kept === null || !this.#open.has(offerId)) return
    const isExcused = reason === 'busy' && this.#hasJustExpired(now)
    const unheard = now < kept.offer.accept_by ? answerUntold : null
    this.#sql`
      UPDATE offers SET state = 'declined', reason = ${reason}, is_excused = ${Number(isExcused)}, told = 0,
        unheard = coalesce(unheard, ${unheard})
      WHERE offer_id = ${offerId}`
    this.#end(offerId)
    this.#untold.add(offerId)
  }

  /**
   * The round took a vote, and so needs not be told anything else. A process that ends before it is stored takes the offer for open: the node
   * is offered it again, and its vote is known.
   */
  vote(offerId: string, answer: string): void {
    const open = this.#open.get(offerId)
    this.#untold.delete(offerId)
    if (open === undefined) {
      if (this.#voted.has(offerId)) this.#voted.set(offerId, answer)
      else
        this.#sql`UPDATE offers SET state = 'voted', answer = ${answer}, told = 1 WHERE offer_id = ${offerId}`
      return
    }
    this.#voted.set(offerId, answer)
    this.#unstoredVotes.set(offerId, open.voteBy)
    this.#end(offerId)
    if (this.#open.size === 0 || this.#unstoredVotes.size >= storedTogetherMax) this.#storeVotes()
    else this.#storingVotes ??= setTimeout(() => this.#storeVotes(), votesStoredMs)
  }

  /** What the node said of its open offers may have been lost with this session. */
  noteLost(sessionId: string): void {
    for (const offerId of this.#open.keys())
      this.#sql`UPDATE offers SET unheard = coalesce(unheard, ${sessionId}) WHERE offer_id = ${offerId}`
  }

  /** The session did not end by a fault of the link after all. */
  noteLeft(sessionId: string): void {
    this.#sql`UPDATE offers SET unheard = NULL WHERE unheard = ${sessionId}`
  }

  noteVoteLost(offerId: string): void {
    this.#sql`UPDATE offers SET unheard = ${voteLost} WHERE offer_id = ${offerId}`
  }

  /** A vote that came in its time is on its way to the round, and may be lost. @returns What says that the round has answered. */
  noteVoteUnderWay(offerId: string): () => void {
    const change = (by: number) =>
      void this.#votesUnderWay.set(offerId, (this.#votesUnderWay.get(offerId) ?? 0) + by)
    change(1)
    return () => {
      change(-1)
      if (this.#votesUnderWay.get(offerId) === 0) this.#votesUnderWay.delete(offerId)
    }
  }

  wasHeard(offerId: string): boolean {
    const isUnderWay = this.#votesUnderWay.has(offerId)
    if (isUnderWay || (this.#untold.has(offerId) && this.find(offerId)?.state !== 'declined')) return false
    return this.#sql`SELECT 1 FROM offers WHERE offer_id = ${offerId} AND unheard IS NOT NULL`.length === 0
  }

  remove(offerId: string): void {
    this.#sql`DELETE FROM offers WHERE offer_id = ${offerId}`
    this.#open.delete(offerId)
    this.#rows.delete(offerId)
    this.#unstored.delete(offerId)
    this.#untold.delete(offerId)
  }

  /** Frees the slots of what is over, and forgets what nobody can ask about any more. */
  expire(now: number): void {
    const expired = [...this.#open].filter(([, { voteBy }]) => voteBy < now)
    for (const [offerId] of expired) {
      this.#sql`UPDATE offers SET state = 'expired' WHERE offer_id = ${offerId}`
      this.#end(offerId)
    }
    if (this.#firstOver !== null && this.#firstOver + keptSecs + forgetSecs < now) this.#forget(now)
  }

  /** What the round has not heard of. */
  untold(): KeptOffer[] {
    return [...this.#untold].flatMap((offerId) => this.find(offerId) ?? [])
  }

  hasUntold(): boolean {
    return this.#untold.size > 0
  }

  /** The round heard of an offer in this state. That it heard of an accept is stored with the vote: until then it may be told again. */
  told(offerId: string, state: OfferState, isInTime: boolean): void {
    if (this.find(offerId)?.state !== state) return
    this.#untold.delete(offerId)
    if (state === 'accepted' && isInTime) return
    const heard = isInTime ? answerUntold : ''
    // Who declined in time is marked since then.
    const late = isInTime || state === 'declined' ? null : answerUntold
    this.#sql`
      UPDATE offers SET told = 1, unheard = coalesce(nullif(unheard, ${heard}), ${late})
      WHERE offer_id = ${offerId}`
  }

  /** When, in network time, an offer expires, or some are forgotten next; null without one. */
  nextDeadline(): number | null {
    const times = [...this.#open.values()].map(({ voteBy }) => voteBy)
    if (this.#firstOver !== null) times.push(this.#firstOver + keptSecs + forgetSecs)
    return times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other)) + 1
  }

  #read(offerId: string): KeptOffer | null {
    const [row] = this.#sql<Row>`SELECT * FROM offers WHERE offer_id = ${offerId}`
    if (row === undefined) return null
    const kept = keptOf(row)
    if (this.#open.has(offerId)) this.#rows.set(offerId, kept)
    return kept
  }

  #storeVotes(): void {
    clearTimeout(this.#storingVotes)
    this.#storingVotes = undefined
    const ended = [...this.#unstoredVotes]
    this.#unstoredVotes.clear()
    const text = JSON.stringify(ended.map(([offerId]) => [offerId, this.#voted.get(offerId)]))
    const voteBy = ended.reduce((last, [, at]) => Math.max(last, at), 0)
    this.#sql`INSERT INTO votes (offers, vote_by) VALUES (${text}, ${voteBy})`
  }

  #hasJustExpired(now: number): boolean {
    const since = now - freedSecs
    return this.#sql`SELECT 1 FROM offers WHERE state = 'expired' AND vote_by >= ${since} LIMIT 1`.length > 0
  }

  #end(offerId: string): void {
    const offer = this.#open.get(offerId)
    if (offer === undefined) return
    this.#open.delete(offerId)
    this.#rows.delete(offerId)
    this.#unstored.delete(offerId)
    this.#noteOver(offer.voteBy)
  }

  #noteOver(voteBy: number): void {
    this.#firstOver = Math.min(this.#firstOver ?? voteBy, voteBy)
  }

  /** Those that are open have their time still. */
  #forget(now: number): void {
    const before = now - keptSecs
    const forgotten = this.#sql<Row>`DELETE FROM offers WHERE vote_by < ${before} RETURNING offer_id`
    for (const { offer_id: offerId } of forgotten) {
      this.#untold.delete(offerId)
      this.#voted.delete(offerId)
    }
    this.#sql`DELETE FROM votes WHERE vote_by < ${before}`
    const rest = this.#sql<Row>`
      SELECT offer_id, vote_by FROM offers ORDER BY vote_by LIMIT ${this.#open.size + 1}`
    this.#firstOver = rest.find(({ offer_id }) => !this.#open.has(offer_id))?.vote_by ?? null
  }
}

const keptOf = ({ offer, state, session_id, reason, is_excused, answer }: Row): KeptOffer => ({
  offer: JSON.parse(offer) as LinkOffer,
  state,
  sessionId: session_id,
  reason,
  isExcused: is_excused === 1,
  answer,
})

export const isOpen = ({ state }: Pick<KeptOffer, 'state'>): boolean =>
  state === 'offered' || state === 'accepted'
