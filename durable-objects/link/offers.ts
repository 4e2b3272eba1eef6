import type { DeclineReason } from '../../protocol/link/index.ts'
import { isOpen, type OfferChange, OfferLog, type OfferStanding, type OfferState } from './offer-log.ts'
import type { LinkOffer } from './types.ts'

export interface KeptOffer {
  readonly offerId: string
  readonly voteBy: number
  readonly state: OfferState
  readonly sessionId: string
  readonly reason: DeclineReason | null
  readonly isExcused: boolean
  readonly answer: string | null
}

/** An offer is kept for this many seconds after its `vote_by`: the round refuses late votes, and a node may ask what became of its vote. */
const keptSecs = 300
/** A node learns at most this many seconds late that the time of an offer is over; until then it counts the slot as used. */
const freedSecs = 10
/** Offers that ended within this many seconds are forgotten together. */
const forgetSecs = 60
/** A link is busy if an offer follows another within this time. Then offers wait a moment for others, and votes for offers. */
const busyMs = 250
const offersStoredMs = 20
const votesStoredMs = 250
const storedTogetherMax = 64

/** Why the round may not know in time what the node said: it did not take its vote, or was not told its answer. */
const voteLost = 'vote'
const answerUntold = 'answer'
/** Or its accept went with the process that had it in memory. */
const processEnded = 'process'

/**
 * The offers of a link: the state of each, and the content of open ones. Each change names the states it may follow. Changes are stored
 * together with all others made by then, since each row that is written costs.
 */
export class OfferLedger {
  readonly #log: OfferLog
  readonly #standings = new Map<string, OfferStanding>()
  readonly #open = new Set<string>()
  /** The content of open offers, as far as it was read or written. */
  readonly #offers = new Map<string, LinkOffer>()
  readonly #unwritten = new Map<string, OfferChange>()
  #writing: { readonly atMs: number; readonly timer: ReturnType<typeof setTimeout> } | null = null
  #written: PromiseWithResolvers<void> | null = null
  #lastAddedMs = 0
  #isBusy = false
  /** Accepted, which is in memory alone: the vote says it as well, or it is told and stored by {@link storeAccepted}. */
  readonly #unstored = new Set<string>()
  /** Accepted or declined, and the round may not know it. */
  readonly #untold = new Set<string>()
  /** How many votes on each offer their rounds have not answered yet. */
  readonly #votesUnderWay = new Map<string, number>()
  /** When the time of the last one that expired was over. */
  #lastExpired = 0

  constructor(storage: DurableObjectStorage) {
    this.#log = new OfferLog(storage)
    for (const [offerId, stored] of this.#log.read()) {
      const standing = afterProcess(stored)
      this.#standings.set(offerId, standing)
      if (standing.isUntold) this.#untold.add(offerId)
      if (isOpen(standing)) this.#open.add(offerId)
      else this.#noteExpired(standing)
    }
  }

  find(offerId: string): KeptOffer | null {
    const standing = this.#standings.get(offerId)
    if (standing === undefined) return null
    const { voteBy, state, sessionId, reason = null, isExcused = false, answer = null } = standing
    return { offerId, voteBy, state, sessionId, reason, isExcused, answer }
  }

  /** The content of an open offer. */
  offer(offerId: string): LinkOffer {
    const offer = this.#offers.get(offerId) ?? this.#log.offer(offerId)
    this.#offers.set(offerId, offer)
    return offer
  }

  /** Until when its node could accept; 0 for an offer that is over and was not declined. */
  acceptBy(offerId: string): number {
    const declined = this.#standings.get(offerId)?.acceptBy
    return declined ?? (this.#open.has(offerId) ? this.offer(offerId).accept_by : 0)
  }

  open(): KeptOffer[] {
    const open = [...this.#open].flatMap((offerId) => this.find(offerId) ?? [])
    return open.sort((a, b) => a.voteBy - b.voteBy || (a.offerId < b.offerId ? -1 : 1))
  }

  countOpen(): number {
    return this.#open.size
  }

  countAccepted(): number {
    return [...this.#open].filter((offerId) => this.#standings.get(offerId)?.state === 'accepted').length
  }

  isEmpty(): boolean {
    return this.#open.size === 0 && this.#log.first === null
  }

  /** Takes a slot at once, and returns once that is stored. */
  async add(offer: LinkOffer, sessionId: string): Promise<void> {
    const { offer_id: offerId, vote_by: voteBy } = offer
    this.#open.add(offerId)
    this.#set(offerId, { voteBy, state: 'offered', sessionId }, offer)
    try {
      await this.#storeAdded()
    } catch (error) {
      // An offer that is not stored was not made.
      this.#standings.delete(offerId)
      this.#unwritten.delete(offerId)
      this.#noLongerOpen(offerId)
      throw error
    }
  }

  async #storeAdded(): Promise<void> {
    const nowMs = Date.now()
    this.#isBusy = nowMs - this.#lastAddedMs < busyMs
    this.#lastAddedMs = nowMs
    if (!this.#isBusy) return this.#write()
    this.#written ??= Promise.withResolvers()
    const { promise } = this.#written
    this.#writeWithin(offersStoredMs)
    return promise
  }

  /** The times of an offer are those that its round says last. */
  renew(offer: LinkOffer): void {
    const standing = this.#standings.get(offer.offer_id)
    if (standing === undefined) return
    // Its node has more time to answer than was noted.
    const { isSilent: _, ...rest } = standing
    this.#set(offer.offer_id, { ...rest, voteBy: offer.vote_by }, offer)
    this.#write()
  }

  /** The node has them by this session, or is about to. */
  setSession(offerIds: readonly string[], sessionId: string): void {
    for (const offerId of offerIds) this.#change(offerId, (standing) => ({ ...standing, sessionId }))
    if (offerIds.length > 0) this.#write()
  }

  accept(offerId: string): void {
    const standing = this.#standings.get(offerId)
    if (standing?.state !== 'offered') return
    this.#standings.set(offerId, { ...standing, state: 'accepted' })
    this.#unstored.add(offerId)
  }

  /** Offers of which nothing was heard, nor noted that nothing was. */
  unanswered(): string[] {
    const isUnanswered = (offerId: string) => {
      const { state, isSilent, unheard } = this.#standings.get(offerId) ?? {}
      return state === 'offered' && isSilent !== true && unheard === undefined
    }
    return [...this.#open].filter(isUnanswered)
  }

  /** From now on what the node says is told at once. */
  noteSilent(offerId: string): void {
    this.#change(offerId, (standing) => ({ ...standing, isSilent: true }))
    this.#writeWithin(votesStoredMs)
  }

  /** Whether it was noted that its node had said nothing. */
  isSilent(offerId: string): boolean {
    return this.#standings.get(offerId)?.isSilent === true
  }

  /** Accepted, which neither the round knows nor the storage. From now on the round has to be told. */
  takeAccepted(): KeptOffer[] {
    for (const offerId of this.#unstored) this.#untold.add(offerId)
    return [...this.#unstored].flatMap((offerId) => this.find(offerId) ?? [])
  }

  /** Stores those of them that are still in memory alone. */
  storeAccepted(accepted: readonly KeptOffer[]): void {
    const unstored = accepted.filter(({ offerId }) => this.#unstored.delete(offerId))
    for (const { offerId } of unstored)
      this.#change(offerId, (standing) => ({ ...standing, isUntold: this.#untold.has(offerId) }))
    if (unstored.length > 0) this.#write()
  }

  hasUnstored(): boolean {
    return this.#unstored.size > 0
  }

  /** Until its round was told in time, a node that declined in time was not heard. */
  decline(offerId: string, reason: DeclineReason, now: number): void {
    const standing = this.#standings.get(offerId)
    if (standing === undefined || !this.#open.has(offerId)) return
    const isExcused = reason === 'busy' && this.#lastExpired >= now - freedSecs
    const { accept_by: acceptBy } = this.offer(offerId)
    const { unheard = now < acceptBy ? answerUntold : undefined } = standing
    const declined = { state: 'declined', reason, isExcused, isUntold: true, acceptBy } as const
    this.#end(offerId, { ...declined, ...(unheard !== undefined && { unheard }) })
    this.#untold.add(offerId)
    this.#write()
  }

  /**
   * The round took a vote, and so needs not be told anything else. A process that ends before it is stored takes the offer for open: the node
   * is offered it again, and its vote is known.
   */
  vote(offerId: string, answer: string): void {
    const standing = this.#standings.get(offerId)
    if (standing === undefined) return
    this.#untold.delete(offerId)
    if (standing.state === 'voted') {
      // It goes into storage with the first one, if that is not there yet.
      if (this.#unwritten.has(offerId)) this.#set(offerId, { ...standing, answer })
      else this.#standings.set(offerId, { ...standing, answer })
      return
    }
    this.#end(offerId, { state: 'voted', answer, isUntold: false })
    const isQuiet = this.#open.size === 0 && !this.#isBusy
    if (isQuiet || this.#unwritten.size >= storedTogetherMax) this.#write()
    else this.#writeWithin(votesStoredMs)
  }

  /** The node's answers to its open offers may have been lost with this session. */
  noteLost(sessionId: string): void {
    for (const offerId of this.#open)
      this.#change(offerId, ({ unheard = sessionId, ...standing }) => ({ ...standing, unheard }))
    this.#write()
  }

  /** The session did not end by a fault of the link after all. */
  noteLeft(sessionId: string): void {
    for (const [offerId, { unheard }] of this.#standings)
      if (unheard === sessionId) this.#change(offerId, ({ unheard: _, ...standing }) => standing)
    this.#write()
  }

  noteVoteLost(offerId: string): void {
    this.#change(offerId, (standing) => ({ ...standing, unheard: voteLost }))
    this.#write()
  }

  /** A vote that came in its time is on its way to the round, and may be lost. @returns A function to call once the round has answered. */
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
    const standing = this.#standings.get(offerId)
    const isUnderWay = this.#votesUnderWay.has(offerId)
    if (isUnderWay || (this.#untold.has(offerId) && standing?.state !== 'declined')) return false
    return standing?.unheard === undefined
  }

  remove(offerId: string): void {
    const standing = this.#standings.get(offerId)
    if (standing === undefined) return
    this.#standings.delete(offerId)
    this.#noLongerOpen(offerId)
    this.#untold.delete(offerId)
    this.#unwritten.set(offerId, { offerId, standing: { voteBy: standing.voteBy, state: 'removed' } })
    this.#write()
  }

  /** Frees the slots of offers that are over, and forgets offers that nobody can ask about any more. */
  expire(now: number): void {
    const expired = [...this.#open].filter((offerId) => this.#voteBy(offerId) < now)
    for (const offerId of expired) this.#end(offerId, { state: 'expired' })
    if (expired.length > 0) this.#write()
    this.#forgetOld(now)
  }

  /** Offers whose accept or decline their rounds may not know. */
  untold(): KeptOffer[] {
    return [...this.#untold].flatMap((offerId) => this.find(offerId) ?? [])
  }

  hasUntold(): boolean {
    return this.#untold.size > 0
  }

  /** The round heard of an offer in this state. That it heard of an accept is stored with the vote: until then it may be told again. */
  told(offerId: string, state: OfferState, isInTime: boolean): void {
    const standing = this.#standings.get(offerId)
    if (standing?.state !== state) return
    this.#untold.delete(offerId)
    // Stored as untold, it would be told again by the next process, too late.
    if (state === 'accepted' && isInTime && standing.isUntold !== true) return
    // An offer that was declined in time has its mark since then.
    const late = isInTime || state === 'declined' ? undefined : answerUntold
    const { unheard: before, ...rest } = standing
    const unheard = (isInTime && before === answerUntold ? undefined : before) ?? late
    this.#set(offerId, { ...rest, isUntold: false, ...(unheard !== undefined && { unheard }) })
    this.#writeWithin(votesStoredMs)
  }

  /** When, in network time, an offer expires, or some are forgotten next; null without one. */
  nextDeadline(now: number): number | null {
    // Nothing of an earlier process is due by an alarm.
    this.expire(now)
    const times = [...this.#open].map((offerId) => this.#voteBy(offerId))
    if (this.#log.first !== null) times.push(this.#log.first + keptSecs + forgetSecs)
    return times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other)) + 1
  }

  #change(offerId: string, change: (standing: OfferStanding) => OfferStanding): void {
    const standing = this.#standings.get(offerId)
    if (standing !== undefined) this.#set(offerId, change(standing))
  }

  /** @param offer - Its content, if that is new. */
  #set(offerId: string, standing: OfferStanding, offer = this.#unwritten.get(offerId)?.offer): void {
    this.#standings.set(offerId, standing)
    if (offer !== undefined && this.#open.has(offerId)) this.#offers.set(offerId, offer)
    const stored = this.#unstored.has(offerId) ? ({ ...standing, state: 'offered' } as const) : standing
    this.#unwritten.set(offerId, { offerId, standing: stored, ...(offer && { offer }) })
  }

  #writeWithin(ms: number): void {
    const atMs = Date.now() + ms
    if (this.#writing !== null && this.#writing.atMs <= atMs) return
    clearTimeout(this.#writing?.timer)
    this.#writing = { atMs, timer: setTimeout(() => this.#write(), ms) }
  }

  #write(): void {
    clearTimeout(this.#writing?.timer)
    this.#writing = null
    const [changes, written] = [[...this.#unwritten.values()], this.#written]
    this.#unwritten.clear()
    this.#written = null
    try {
      if (changes.length > 0) this.#log.write(changes)
      written?.resolve()
    } catch (error) {
      for (const change of changes)
        if (!this.#unwritten.has(change.offerId)) this.#unwritten.set(change.offerId, change)
      if (written === null) throw error
      written.reject(error)
    }
  }

  #end(offerId: string, how: Omit<Partial<OfferStanding>, 'voteBy' | 'sessionId'>): void {
    const standing = this.#standings.get(offerId)
    if (standing === undefined) return
    this.#noLongerOpen(offerId)
    const ended = { ...standing, ...how }
    this.#set(offerId, ended)
    this.#noteExpired(ended)
  }

  #noLongerOpen(offerId: string): void {
    this.#open.delete(offerId)
    this.#offers.delete(offerId)
    this.#unstored.delete(offerId)
    this.#log.isOver(offerId)
  }

  #noteExpired({ voteBy, state }: OfferStanding): void {
    if (state === 'expired') this.#lastExpired = Math.max(this.#lastExpired, voteBy)
  }

  #voteBy(offerId: string): number {
    return this.#standings.get(offerId)?.voteBy ?? 0
  }

  #forgetOld(now: number): void {
    const { first } = this.#log
    if (first === null || first + keptSecs + forgetSecs >= now) return
    for (const [offerId, { voteBy }] of this.#standings)
      if (voteBy < now - keptSecs && !this.#open.has(offerId)) {
        this.#standings.delete(offerId)
        this.#untold.delete(offerId)
      }
    this.#log.forget(now - keptSecs)
  }
}

/** How an offer that an earlier process stored stands for the next one. */
const afterProcess = (stored: OfferStanding): OfferStanding =>
  stored.state === 'offered' && stored.isSilent !== true ? { unheard: processEnded, ...stored } : stored
