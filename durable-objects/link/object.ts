import { DurableObject } from 'cloudflare:workers'
import type { ErrorCode } from '../../protocol/errors.ts'
import {
  badFramesMax,
  closeCodes,
  FrameError,
  parseNodeFrame,
  pingText,
  pongText,
  type ReadNodeFrame,
  type ReadyFrame,
  returnSecsMin,
  type UnjudgedVoteFrame,
} from '../../protocol/link/index.ts'
import { Alarm } from '../alarm.ts'
import { Admissions } from './admissions.ts'
import { Checks } from './checks.ts'
import { Connection, type Session } from './connection.ts'
import { Faults } from './faults.ts'
import { FrameBudget } from './frame-budget.ts'
import { codeOf, helloFrame, isVoteOn, offerFrame } from './frames.ts'
import { KeptValues } from './kept-values.ts'
import { isOpen } from './offer-log.ts'
import { type KeptOffer, OfferLedger } from './offers.ts'
import { Publication, retryMs, viewOf } from './publication.ts'
import { Silences } from './silences.ts'
import { roundOf, Telling } from './telling.ts'
import type { LinkOffer, LinkStatus, LinkView, NodeLinkConfig, OfferResult } from './types.ts'
import { readUpgrade } from './upgrade.ts'
import { Validating } from './validating.ts'

/** The listed state of a device may change often; the database is written after this pause. */
const publishPauseMs = 5_000
/** A node says that it is ready at once; until then there is little to publish. */
const readyPauseMs = 2_000

/**
 * The one WebSocket of a node: `env.NODE_LINK.getByName('<public key>')`. It sends offers, and requests to validators, passes answers on to
 * the rounds, and notes in the database whether the device is connected. Invariant: an offer takes a slot from when it is stored until it was
 * declined, voted on or cancelled, or its time is over. Offers are stored, then sent. Sockets hibernate: pings do not wake the object.
 */
export class NodeLinkObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: NodeLinkConfig
  readonly #alarm: Alarm
  readonly #offers: OfferLedger
  readonly #silences: Silences
  readonly #admissions: Admissions
  readonly #connection: Connection
  readonly #faults: Faults
  readonly #checks: Checks
  readonly #publication: Publication
  readonly #validating: Validating
  readonly #telling: Telling
  readonly #budget = new FrameBudget()

  constructor(ctx: DurableObjectState, env: Env, config: NodeLinkConfig) {
    super(ctx, env)
    this.#config = config
    this.#alarm = new Alarm(ctx.storage)
    const kv = new KeptValues(ctx.storage.kv)
    this.#offers = new OfferLedger(ctx.storage)
    this.#silences = new Silences(this.#offers)
    this.#admissions = new Admissions(kv, config.limits.max_skew)
    this.#connection = new Connection(ctx, kv, this.#offers, config.limits)
    this.#faults = new Faults(kv, config)
    this.#checks = new Checks(kv, this.#admissions, this.#connection, this.#faults)
    this.#publication = new Publication(kv, config)
    this.#validating = new Validating(this.#connection, this.#budget, config)
    this.#telling = new Telling(this.#offers, this.#connection, config, () => this.#schedule())
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(pingText, pongText))
  }

  /** Takes the socket of an upgrade request that the hub has checked, or refuses it by one of the statuses of `upgradeRefusals`. */
  override async fetch(request: Request): Promise<Response> {
    const { nodeKey, ...upgrade } = readUpgrade(request.url)
    const returnSecs = await this.#config.returnSecs()
    const time = await this.#config.now()
    const refusal = this.#admissions.refusalOf(upgrade, time, this.#connection.goneMs)
    if (refusal !== null) return new Response(null, { status: refusal })
    const { 0: client, 1: server } = new WebSocketPair()
    const sessionId = this.#connection.accept(nodeKey, server, upgrade.frames)
    if (upgrade.generation === null) {
      this.#checks.makeDue()
      if (upgrade.isValidator) this.#faults.noteValidator()
      this.#changed(readyPauseMs)
    } else this.#checks.delay()
    // Nodes of frames 1 are not told.
    this.#connection.returnSecs = upgrade.frames === 1 ? returnSecsMin : (returnSecs ?? returnSecsMin)
    const ticket = this.#config.ticket(nodeKey, this.#admissions.generation, upgrade.isVouched)
    const greeting = { session_id: sessionId, time, returnSecs, ticket }
    this.#connection.send(helloFrame(this.#config, upgrade, greeting))
    await this.#schedule()
    const headers = { 'Sec-WebSocket-Protocol': this.#config.subprotocol(upgrade.frames) }
    return new Response(null, { status: 101, webSocket: client, headers })
  }

  /**
   * Offers a task. A second call with one id sends nothing twice on one socket.
   * @param snapshotAt - When the set that the device is in was due, in network time; null if that is not known.
   */
  async offer(offer: LinkOffer, snapshotAt: number | null = null): Promise<OfferResult> {
    const now = await this.#config.now()
    this.#offers.expire(now)
    const result = await this.#offer(offer, now, snapshotAt)
    await this.#schedule()
    return result
  }

  async cancel(offerId: string, reason: string): Promise<void> {
    const kept = this.#offers.find(offerId)
    if (kept === null || !isOpen(kept)) return
    this.#offers.remove(offerId)
    this.#changed(publishPauseMs)
    if (kept.sessionId === this.#connection.session?.id)
      this.#connection.send({ type: 'cancel', offer_id: offerId, reason })
    await this.#schedule()
  }

  /** A vote of the node was none. Several in a day make the device faulty. */
  async invalidVote(): Promise<void> {
    this.#faults.noteInvalidVote()
    this.#changed(0)
    await this.#schedule()
  }

  /** Looks at what the hub's records hold against the device: a banned one loses its socket, and is shown as offline at once. */
  async refresh(): Promise<void> {
    // A link that never had a socket has none to lose, and its first socket is admitted by the same records.
    if (this.#connection.nodeKey === '') return
    await this.#checks.atOnce()
    if (this.#connection.isBarred) await this.#publication.publishAtOnce(this.#view())
    await this.#schedule()
  }

  /** Whether everything that the node said of an offer in its time reached the link, and the round. @param mayBeAway - A node that is not there has not been heard. */
  async wasHeard(offerId: string, mayBeAway = false): Promise<boolean> {
    const isThere = (this.#connection.session?.ready ?? null) !== null
    return this.#offers.wasHeard(offerId) && (isThere || !mayBeAway)
  }

  /** Asks the validator about a round. @param request - As JSON. @returns Whether it is sent; its answer goes to the round, or is lost. */
  async decide(request: string): Promise<boolean> {
    return this.#give(() => this.#validating.decide(request))
  }

  /** Tells the validator votes of others. @param votes - Each as JSON. @returns Whether they are sent. */
  async tellFinality(votes: readonly string[]): Promise<boolean> {
    return this.#give(() => this.#validating.tellFinality(votes))
  }

  /** Asks the validator to attest a set. @param set - As JSON. @returns Whether it is sent; its answer goes to the project, or is lost. */
  async attest(set: string): Promise<boolean> {
    // Frames before version 3 have no sets.
    if ((this.#connection.session?.frames ?? 0) < 3) return false
    return this.#give(() => this.#validating.attest(set))
  }

  async status(): Promise<LinkStatus> {
    const session = !this.#connection.isOpen ? null : this.#connection.session
    return {
      connected: session !== null,
      sessionId: session?.id ?? null,
      since: session && Math.floor(session.sinceMs / 1000),
      latencyMs: session?.ready?.latencyMs ?? null,
      slots: session?.ready?.slots ?? 0,
      activeLeases: this.#offers.countAccepted(),
    }
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (!this.#connection.isCurrent(socket)) return
    this.#validating.heard()
    const frame = this.#read(message)
    if (frame !== null) await this.#handle(frame)
    await this.#schedule()
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    socket.close(closeCodes.normal)
    if (this.#connection.gone(socket, code)) await this.#schedule()
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    if (this.#connection.gone(socket)) await this.#schedule()
  }

  override async alarm(): Promise<void> {
    this.#alarm.gone()
    this.#offers.expire(await this.#config.now())
    await this.#telling.untold()
    await this.#checks.whereDue()
    if (this.#connection.nodeKey !== '') await this.#publication.publish(this.#view())
    await this.#schedule()
  }

  async #offer(offer: LinkOffer, now: number, snapshotAt: number | null): Promise<OfferResult> {
    const kept = this.#offers.find(offer.offer_id)
    // A node that has answered was told.
    if (kept !== null && kept.state !== 'offered') return 'offered'
    if (kept === null && !this.#faults.mayWork) return 'absent'
    // The round asks by a clock of its own; where this one is ahead, the time that is over here is nobody's fault.
    if (kept === null && offer.vote_by < now) return 'away'
    if (kept !== null) this.#offers.renew(offer)
    const session = this.#connection.session
    if (session === null || session.ready === null || !this.#connection.isListening())
      return this.#connection.absence(now, snapshotAt)
    if (kept !== null) {
      this.#sendOffers([kept], session)
      return 'offered'
    }
    // A node that offers no slots takes no part, and is not excused as one that works with all its slots is.
    if (session.ready.slots === 0) return 'absent'
    if (this.#offers.countOpen() >= session.ready.slots) return 'full'
    const stored = this.#offers.add(offer, session.id)
    this.#changed(publishPauseMs)
    await stored
    // It may have been cancelled meanwhile, and a socket that was opened meanwhile is sent it once it is ready.
    const isOpenYet = this.#offers.find(offer.offer_id)?.state === 'offered'
    if (isOpenYet && this.#connection.session?.id === session.id) this.#connection.send(offerFrame(offer))
    return 'offered'
  }

  /** @param held - Those that the node has by an earlier socket. */
  #sendOffers(open: readonly KeptOffer[], session: Session, held: ReadonlySet<string> = new Set()): void {
    const moved = open.filter(({ sessionId }) => sessionId !== session.id).map(({ offerId }) => offerId)
    this.#offers.setSession(moved, session.id)
    for (const offerId of moved)
      if (!held.has(offerId)) this.#connection.send(offerFrame(this.#offers.offer(offerId)))
  }

  #read(message: string | ArrayBuffer): ReadNodeFrame | null {
    if (!this.#budget.take()) return this.#refuse('rate_limited', 'Too many frames in a minute.')
    if (typeof message !== 'string') return this.#refuse('bad_request', 'Frames are texts, not bytes.')
    try {
      return parseNodeFrame(message, this.#limits())
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      return this.#refuse(error.code, error.message, error.offerId)
    }
  }

  /** Reading a large frame costs much, and only who was asked something has one to send. */
  #limits(): NodeLinkConfig['limits'] {
    const { limits } = this.#config
    if (this.#isValidator || !this.#offers.isEmpty()) return limits
    return { ...limits, relay_max_frame_bytes: limits.relay_max_control_bytes }
  }

  #refuse(code: ErrorCode, message: string, offerId?: string): null {
    const session = this.#connection.session
    if (session === null) return null
    const badFrames = session.badFrames + 1
    this.#connection.session = { ...session, badFrames }
    this.#sendError(code, message, offerId)
    if (badFrames >= badFramesMax)
      this.#connection.close(closeCodes.policy, `${badFramesMax} frames broke a rule`)
    return null
  }

  async #handle(frame: ReadNodeFrame): Promise<void> {
    switch (frame.type) {
      case 'ping':
        // It is answered after all that came before.
        await this.#telling.accepted()
        return this.#connection.send({ type: 'pong' })
      case 'ready':
        return this.#ready(frame)
      case 'accept':
        return this.#answer(frame.offer_id, () => this.#offers.accept(frame.offer_id))
      case 'decline': {
        const now = await this.#config.now()
        return this.#answer(frame.offer_id, () => this.#offers.decline(frame.offer_id, frame.reason, now))
      }
      case 'vote':
        return this.#vote(frame)
      case 'decided':
        return this.#answered(() => this.#validating.decided(frame))
      case 'attested':
        return this.#answered(() => this.#validating.attested(frame))
    }
  }

  get #isValidator(): boolean {
    return this.#faults.isValidator && this.#connection.session?.ready?.isValidator === true
  }

  #ready({ slots, holding, role }: ReadyFrame): void {
    const session = this.#connection.session
    if (session === null) return
    const isValidator = role === 'validator'
    const latencyMs = session.ready?.latencyMs ?? Date.now() - session.sinceMs
    this.#connection.session = {
      ...session,
      ready: { slots, latencyMs, ...(isValidator && { isValidator }) },
    }
    if (isValidator && !this.#isValidator)
      this.#sendError('forbidden', 'This key is not an approved validator, so it is not asked about rounds.')
    this.#changed(session.ready === null ? 0 : publishPauseMs)
    this.#sendOffers(this.#offers.open(), session, new Set(holding))
    for (const offerId of holding) this.#settle(offerId)
  }

  /** Tells a node that holds an offer which is no longer open what became of it. */
  #settle(offerId: string): void {
    const kept = this.#offers.find(offerId)
    if (kept?.state === 'voted')
      this.#connection.send({ type: 'voted', offer_id: offerId, state: kept.answer ?? 'voted' })
    else if (kept === null || !isOpen(kept))
      this.#connection.send({ type: 'cancel', offer_id: offerId, reason: 'not open' })
  }

  async #answer(offerId: string, store: () => void): Promise<void> {
    const before = this.#offers.find(offerId)
    if (before === null || !isOpen(before)) return this.#sendError('not_found', notOpen, offerId)
    store()
    this.#changed(publishPauseMs)
    const kept = this.#offers.find(offerId)
    if (kept === null || kept.state === before.state) return
    this.#budget.giveBack()
    await this.#telling.answered(kept)
  }

  /** A vote always goes to the round, also a second one: the two may prove an offence. */
  async #vote({ type: _, offer_id: offerId, ...given }: UnjudgedVoteFrame): Promise<void> {
    const before = this.#offers.find(offerId)
    if (before === null) return this.#sendError('not_found', notOpen, offerId)
    const { nodeKey } = this.#connection
    // The round owes an answer only to the first vote that is on this offer and in time.
    const isOwed =
      isOpen(before) && isVoteOn(offerId, nodeKey, given) && (await this.#config.now()) <= before.voteBy
    const answered = isOwed ? this.#offers.noteVoteUnderWay(offerId) : null
    const voted = roundOf(this.#config, offerId).voted(offerId, nodeKey, given)
    const result = await voted.catch((error) => {
      console.error(`the round of ${offerId} did not take a vote`, error)
      const message = 'The round does not answer. Send the same vote again shortly.'
      return { ok: false, code: 'unavailable', message } as const
    })
    answered?.()
    if (!result.ok) {
      const code = codeOf(result.code)
      if (code === 'unavailable' && isOwed) this.#offers.noteVoteLost(offerId)
      return this.#sendError(code, result.message, offerId)
    }
    this.#offers.vote(offerId, result.state)
    this.#telling.restIfDone()
    if (before.state !== 'voted') this.#budget.giveBack()
    this.#changed(publishPauseMs)
    this.#connection.send({ type: 'voted', offer_id: offerId, state: result.state })
  }

  async #give(give: () => boolean): Promise<boolean> {
    if (!this.#isValidator) return false
    const isSent = give()
    // Its socket may have been found lost.
    if (!isSent) await this.#schedule()
    return isSent
  }

  async #answered(take: () => Promise<string | null>): Promise<void> {
    if (!this.#isValidator)
      return this.#sendError('forbidden', 'Only approved validators are asked about rounds and sets.')
    const problem = await take()
    if (problem !== null) this.#refuse('invalid_evidence', problem)
  }

  #changed(pauseMs: number): void {
    this.#publication.isNow(this.#view(), pauseMs)
  }

  #view(): LinkView {
    const isVoteFaulty = this.#faults.voteFaultyUntilMs !== null
    return viewOf(this.#connection, this.#offers.countOpen(), isVoteFaulty, this.#publication.last)
  }

  async #schedule(): Promise<void> {
    const now = await this.#config.now()
    const nowMs = Date.now()
    this.#silences.look()
    const isShown = (this.#publication.last?.state ?? 'offline') !== 'offline'
    const ofNobody = isShown ? this.#connection.offlineDueMs : Infinity
    const deadline = this.#offers.nextDeadline(now)
    const pollMs = this.#config.pollMs ?? Infinity
    const toDeadlineMs = deadline === null ? Infinity : Math.min((deadline - now) * 1000, pollMs)
    const first = Math.min(
      this.#publication.dueMs ?? Infinity,
      this.#faults.voteFaultyUntilMs ?? Infinity,
      this.#connection.session === null ? ofNobody : this.#checks.dueMs,
      nowMs + toDeadlineMs,
      this.#offers.hasUntold() ? nowMs + retryMs : Infinity,
    )
    if (first < Infinity) await this.#alarm.by(Math.max(nowMs, first))
  }

  #sendError(code: ErrorCode, message: string, offerId?: string): void {
    const about = offerId === undefined ? {} : { offer_id: offerId }
    this.#connection.send({ type: 'error', code, message, ...about })
  }
}

const notOpen = 'This offer is not open here.'
