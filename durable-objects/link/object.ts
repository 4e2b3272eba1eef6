import { DurableObject } from 'cloudflare:workers'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { type ErrorCode, errorCodes } from '../../protocol/errors.ts'
import {
  badFramesMax,
  closeCodes,
  type DeclineReason,
  FrameError,
  faultyWindowSecs,
  type HubFrame,
  invalidVotesMax,
  offlineAfterSecs,
  parseNodeFrame,
  parseOfferId,
  pingText,
  pongText,
  type ReadNodeFrame,
  type ReadyFrame,
  silentAfterSecs,
  type UnjudgedVoteFrame,
  writeHubFrame,
} from '../../protocol/link/index.ts'
import { Alarm } from '../alarm.ts'
import { FrameBudget } from './frame-budget.ts'
import { KeptValues } from './kept-values.ts'
import { type KeptOffer, OfferLedger } from './offers.ts'
import { withPresence } from './presences.ts'
import type {
  Absence,
  LinkOffer,
  LinkStatus,
  LinkView,
  NodeLinkConfig,
  OfferResult,
  Presence,
  Standing,
  VoteResult,
} from './types.ts'

/** The socket of a node, from its upgrade on. */
interface Session {
  /** Also the tag of its socket. */
  id: string
  sinceMs: number
  /** Null until the node said that it is ready. */
  ready: { slots: number; latencyMs: number } | null
  badFrames: number
}

/** Slots change with every offer; the database need not. */
const publishPauseMs = 5_000
/** A node says that it is ready at once; until then there is little to publish. */
const readyPauseMs = 2_000
const retryMs = 5_000
/** How often a socket that nothing happens on is looked at. */
const checkMs = 300_000

/**
 * The one WebSocket of a miner: `env.NODE_LINK.getByName('<public key>')`. It sends offers, passes on what the node
 * answers to the rounds, and says in the database whether the device is there.
 *
 * Two invariants: at most one socket is listened to, the one whose tag is the id of the stored session; and an offer takes
 * a slot from when it is stored until it was declined, voted on or cancelled, or its time is over. What is sent is stored
 * before. Sockets hibernate: pings are answered without waking the object.
 */
export class NodeLinkObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: NodeLinkConfig
  readonly #alarm: Alarm
  readonly #kv: KeptValues
  readonly #offers: OfferLedger
  readonly #budget = new FrameBudget()

  constructor(ctx: DurableObjectState, env: Env, config: NodeLinkConfig) {
    super(ctx, env)
    this.#config = config
    this.#alarm = new Alarm(ctx.storage)
    this.#kv = new KeptValues(ctx.storage.kv)
    this.#offers = new OfferLedger(ctx.storage)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(pingText, pongText))
    // A process that is killed closes no socket.
    if (this.#session !== null && this.#socket() === null) this.#disconnected('lost', true)
  }

  /** Takes the socket of an upgrade that the hub has let through. The path is the public key. */
  override async fetch(request: Request): Promise<Response> {
    const time = await this.#config.now()
    const { 0: client, 1: server } = new WebSocketPair()
    this.#connect(new URL(request.url).pathname.slice(1), server, time)
    await this.#schedule()
    const headers = { 'Sec-WebSocket-Protocol': this.#config.subprotocol }
    return new Response(null, { status: 101, webSocket: client, headers })
  }

  /**
   * Offers a task. A second call with one id sends nothing twice on one socket.
   *
   * @param snapshotAt - When the set that the device is in was due, in network time; null where that is not known.
   */
  async offer(offer: LinkOffer, snapshotAt: number | null = null): Promise<OfferResult> {
    const now = await this.#config.now()
    this.#offers.expire(now)
    const result = this.#offer(offer, now, snapshotAt)
    await this.#schedule()
    return result
  }

  /** Takes an open offer back. */
  async cancel(offerId: string, reason: string): Promise<void> {
    const kept = this.#offers.find(offerId)
    if (kept === null || !isOpen(kept)) return
    this.#offers.remove(offerId)
    this.#changed(publishPauseMs)
    if (kept.sessionId === this.#session?.id) this.#send({ type: 'cancel', offer_id: offerId, reason })
    await this.#schedule()
  }

  /** A vote of the node was none. Several in a day make the device faulty. */
  async invalidVote(): Promise<void> {
    this.#kv.put('invalid_votes', [...this.#invalidVotes(), Date.now()].slice(-invalidVotesMax))
    this.#changed(0)
    await this.#schedule()
  }

  /** Looks at what the hub's records hold against the device: a banned one loses its socket. */
  async refresh(): Promise<void> {
    // Without a socket so far there is nothing to take away, and the first one is let in by the same records.
    if (this.#nodeKey === '') return
    await this.#readStanding()
    await this.#schedule()
  }

  /** Whether everything that the node said of an offer in its time reached the link, and the round. */
  async wasHeard(offerId: string): Promise<boolean> {
    return this.#offers.wasHeard(offerId)
  }

  async status(): Promise<LinkStatus> {
    const session = this.#socket() === null ? null : this.#session
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
    if (!this.#isCurrent(socket)) return
    const frame = this.#read(message)
    if (frame !== null) await this.#handle(frame)
    await this.#schedule()
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    socket.close(closeCodes.normal)
    await this.#gone(socket, code)
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#gone(socket)
  }

  override async alarm(): Promise<void> {
    this.#alarm.gone()
    this.#offers.expire(await this.#config.now())
    for (const kept of this.#offers.untold()) await this.#tell(kept)
    await this.#check()
    await this.#publish()
    await this.#schedule()
  }

  #connect(nodeKey: string, socket: WebSocket, time: number): void {
    for (const other of this.ctx.getWebSockets()) other.close(closeCodes.replaced, 'another socket took over')
    const id = bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)
    if (this.#session !== null) this.#disconnected('lost')
    this.ctx.acceptWebSocket(socket, [id])
    this.#kv.put('node_key', nodeKey)
    this.#session = { id, sinceMs: Date.now(), ready: null, badFrames: 0 }
    // The records may have changed since the hub let it in, and since this object looked at them last.
    this.#kv.delete('checked_ms')
    this.#changed(readyPauseMs)
    this.#send({ type: 'hello', session_id: id, time, params_hash: this.#config.paramsHash })
  }

  async #gone(socket: WebSocket, code?: number): Promise<void> {
    const [sessionId] = this.ctx.getTags(socket)
    if (code === closeCodes.normal && this.#lostSession === sessionId) this.#kv.put('lost_session', null)
    if (code !== closeCodes.restart) this.#leftByItself(sessionId)
    if (!this.#isCurrent(socket)) return
    this.#disconnected(code === closeCodes.normal ? 'left' : 'lost')
    await this.#schedule()
  }

  /**
   * A node that did not say that this is the end comes back by itself, as all do when the hub restarts. Its session is kept:
   * an object that slept takes its socket for lost before it is told how the socket was closed.
   */
  #disconnected(how: 'left' | 'lost', byHub = false): void {
    const session = this.#session
    const goneMs = Date.now()
    this.#kv.put('lost_session', how === 'lost' ? (session?.id ?? null) : null)
    if (session !== null) {
      const ended: Presence = { sessionId: session.id, sinceMs: session.sinceMs, goneMs, byHub }
      this.#presences = withPresence(this.#presences, ended)
      if (byHub) this.#offers.noteLost(session.id)
    }
    this.#session = null
    this.#kv.put('gone_ms', goneMs)
  }

  /** A socket whose end is told did not end with a process of the hub. */
  #leftByItself(sessionId: string | undefined): void {
    if (!this.#presences.some((one) => one.sessionId === sessionId && one.byHub)) return
    this.#presences = this.#presences.map((one) =>
      one.sessionId === sessionId ? { ...one, byHub: false } : one,
    )
    if (sessionId !== undefined) this.#offers.noteLeft(sessionId)
  }

  /** Closes the socket and stops listening to it. */
  #close(code: number, reason: string): void {
    this.#socket()?.close(code, reason)
    this.#disconnected(code === closeCodes.policy ? 'lost' : 'left')
  }

  #offer(offer: LinkOffer, now: number, snapshotAt: number | null): OfferResult {
    const kept = this.#offers.find(offer.offer_id)
    // Who has answered was told.
    if (kept !== null && kept.state !== 'offered') return 'offered'
    if (kept === null && !this.#mayWork()) return 'absent'
    // The round asks by a clock of its own; where this one is ahead, the time that is over here is nobody's fault.
    if (kept === null && offer.vote_by < now) return 'away'
    if (kept !== null) this.#offers.renew(offer)
    const session = this.#session
    if (session === null || session.ready === null || !this.#isListening())
      return this.#isAway() ? 'away' : this.#absence(now, snapshotAt)
    if (kept !== null) {
      this.#sendOffer({ ...kept, offer }, session)
      return 'offered'
    }
    // Who offers no slots takes no part, and is not excused as who works with all of them is.
    if (session.ready.slots === 0) return 'absent'
    if (this.#offers.countOpen() >= session.ready.slots) return 'full'
    this.#offers.add(offer, session.id)
    this.#changed(publishPauseMs)
    this.#send(offerFrame(offer))
    return 'offered'
  }

  /** Why a device has no socket: it is blamed only where it left by itself after the set had been built. */
  #absence(now: number, snapshotAt: number | null): Absence {
    const presences = this.#presences
    const last = presences.at(-1)
    // One that is connected has not said yet that it is ready.
    if (snapshotAt === null || last === undefined || this.#session !== null) return 'absent'
    const snapshotMs = Date.now() - (now - snapshotAt) * 1000
    if (!presences.some(({ sinceMs, goneMs }) => sinceMs <= snapshotMs && goneMs >= snapshotMs))
      return 'absent'
    return last.byHub ? 'dropped' : 'offline'
  }

  /** Whether the node lost its socket, and its device is not offline yet. */
  #isAway(): boolean {
    return Date.now() < this.#offlineDueMs() && this.#lostSession !== null
  }

  #sendOffer({ offer, sessionId }: KeptOffer, session: Session): void {
    if (sessionId === session.id) return
    this.#offers.setSession(offer.offer_id, session.id)
    this.#send(offerFrame(offer))
  }

  /** Null for a frame that broke a rule, which the node is told. */
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

  /** Reading a large frame costs much, and only who was offered something has one to send. */
  #limits(): NodeLinkConfig['limits'] {
    const { limits } = this.#config
    return this.#offers.isEmpty()
      ? { ...limits, relay_max_frame_bytes: limits.relay_max_control_bytes }
      : limits
  }

  #refuse(code: ErrorCode, message: string, offerId?: string): null {
    const session = this.#session
    if (session === null) return null
    const badFrames = session.badFrames + 1
    this.#session = { ...session, badFrames }
    this.#sendError(code, message, offerId)
    if (badFrames >= badFramesMax) this.#close(closeCodes.policy, `${badFramesMax} frames broke a rule`)
    return null
  }

  async #handle(frame: ReadNodeFrame): Promise<void> {
    switch (frame.type) {
      case 'ping':
        return this.#send({ type: 'pong' })
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
    }
  }

  #ready({ slots, holding }: ReadyFrame): void {
    const session = this.#session
    if (session === null) return
    const latencyMs = session.ready?.latencyMs ?? Date.now() - session.sinceMs
    this.#session = { ...session, ready: { slots, latencyMs } }
    this.#changed(session.ready === null ? 0 : publishPauseMs)
    const held = new Set(holding)
    for (const kept of this.#offers.open())
      if (held.has(kept.offer.offer_id)) this.#offers.setSession(kept.offer.offer_id, session.id)
      else this.#sendOffer(kept, session)
    for (const offerId of holding) this.#settle(offerId)
  }

  /** Tells a node that holds an offer which is no longer open what became of it. */
  #settle(offerId: string): void {
    const kept = this.#offers.find(offerId)
    if (kept?.state === 'voted')
      this.#send({ type: 'voted', offer_id: offerId, state: kept.answer ?? 'voted' })
    else if (kept === null || !isOpen(kept))
      this.#send({ type: 'cancel', offer_id: offerId, reason: 'not open' })
  }

  async #answer(offerId: string, store: () => void): Promise<void> {
    const before = this.#offers.find(offerId)
    if (before === null || !isOpen(before)) return this.#sendError('not_found', notOpen, offerId)
    store()
    this.#changed(publishPauseMs)
    const kept = this.#offers.find(offerId)
    if (kept === null || kept.state === before.state) return
    this.#budget.giveBack()
    await this.#tell(kept)
  }

  /** What cannot be told is told again by an alarm. */
  async #tell({ offer, state, reason, isExcused }: KeptOffer): Promise<void> {
    const { offer_id: offerId } = offer
    const round = this.#config.round(parseOfferId(offerId).round_id)
    try {
      if (state === 'accepted') await round.accepted(offerId, this.#nodeKey)
      if (state === 'declined')
        await round.declined(offerId, this.#nodeKey, reason as DeclineReason, isExcused)
      this.#offers.told(offerId, state)
    } catch (error) {
      console.error(`the round of ${offerId} could not be told that it was ${state}`, error)
    }
  }

  /** A vote always goes to the round, also a second one: the two may prove an offence. */
  async #vote({ offer_id: offerId, vote, output_b64, events }: UnjudgedVoteFrame): Promise<void> {
    const before = this.#offers.find(offerId)
    if (before === null) return this.#sendError('not_found', notOpen, offerId)
    const round = this.#config.round(parseOfferId(offerId).round_id)
    const cameAt = await this.#config.now()
    let result: VoteResult
    try {
      result = await round.voted(offerId, this.#nodeKey, { vote, output_b64, events })
    } catch (error) {
      console.error(`the round of ${offerId} did not take a vote`, error)
      const message = 'The round does not answer. Send the same vote again shortly.'
      result = { ok: false, code: 'unavailable', message }
    }
    if (!result.ok) {
      const code = codeOf(result.code)
      if (code === 'unavailable' && cameAt <= before.offer.vote_by) this.#offers.noteVoteLost(offerId)
      return this.#sendError(code, result.message, offerId)
    }
    this.#offers.vote(offerId, result.state)
    if (before.state !== 'voted') this.#budget.giveBack()
    this.#changed(publishPauseMs)
    this.#send({ type: 'voted', offer_id: offerId, state: result.state })
  }

  /** Sees whether the socket is still one, and whether anything speaks against the device. */
  async #check(): Promise<void> {
    if (this.#session === null || Date.now() < this.#checkDueMs()) return
    this.#kv.put('checked_ms', Date.now())
    if (this.#isListening()) await this.#readStanding()
  }

  async #readStanding(): Promise<void> {
    try {
      const standing = await this.#config.standing(this.#nodeKey)
      this.#kv.put('standing', standing)
      if (standing.isBanned && this.#session !== null) this.#close(closeCodes.banned, 'this device is banned')
    } catch (error) {
      console.error(`the standing of ${this.#nodeKey} could not be read`, error)
    }
  }

  /** Whether somebody is behind the socket: one that pinged and then fell silent is gone. */
  #isListening(): boolean {
    const socket = this.#socket()
    if (socket === null) {
      // It was lost, and the event that says so is still to come.
      this.#disconnected('lost')
      return false
    }
    const pingedAt = this.ctx.getWebSocketAutoResponseTimestamp(socket)
    if (pingedAt === null || Date.now() - pingedAt.getTime() <= silentAfterSecs * 1000) return true
    this.#close(closeCodes.normal, 'silent')
    return false
  }

  #mayWork(): boolean {
    const { isBanned, isFaulty } = this.#kv.get<Standing>('standing') ?? { isBanned: false, isFaulty: false }
    return !isBanned && !isFaulty && !this.#isVoteFaulty()
  }

  #isVoteFaulty(): boolean {
    return this.#invalidVotes().length >= invalidVotesMax
  }

  /** Those that still count, as milliseconds. */
  #invalidVotes(): number[] {
    const since = Date.now() - faultyWindowSecs * 1000
    return (this.#kv.get<number[]>('invalid_votes') ?? []).filter((at) => at > since)
  }

  #view(): LinkView {
    const nodeKey = this.#nodeKey
    const isVoteFaulty = this.#isVoteFaulty()
    const session = this.#session
    const published = this.#kv.get<LinkView>('published')
    if (session === null && published !== undefined && Date.now() < this.#offlineDueMs())
      return { ...published, isVoteFaulty }
    const slots = session?.ready?.slots ?? 0
    const freeSlots = Math.max(0, slots - this.#offers.countOpen())
    return {
      nodeKey,
      state: session === null ? 'offline' : freeSlots > 0 ? 'online' : 'idle',
      connectedSince: session && Math.floor(session.sinceMs / 1000),
      freeSlots: session === null ? 0 : freeSlots,
      isVoteFaulty,
    }
  }

  /** Has the view be published after a pause, within which it may change again. */
  #changed(pauseMs: number): void {
    const dueMs = Date.now() + pauseMs
    if (dueMs < (this.#kv.get<number>('publish_ms') ?? Number.POSITIVE_INFINITY))
      this.#kv.put('publish_ms', dueMs)
  }

  async #publish(): Promise<void> {
    if (this.#nodeKey === '' || Date.now() < (this.#kv.get<number>('publish_ms') ?? 0)) return
    this.#kv.delete('publish_ms')
    const view = this.#view()
    if (JSON.stringify(view) === JSON.stringify(this.#kv.get('published'))) return
    const revision = (this.#kv.get<number>('revision') ?? 0) + 1
    this.#kv.put('revision', revision)
    try {
      await this.#config.publish(view, revision)
      this.#kv.put('published', view)
    } catch (error) {
      console.error(`the state of ${view.nodeKey} could not be published`, error)
      this.#changed(retryMs)
    }
  }

  /** Sets the alarm for whatever is due first. */
  async #schedule(): Promise<void> {
    const now = await this.#config.now()
    const nowMs = Date.now()
    const [first] = this.#dueTimes(now, nowMs).sort((a, b) => a - b)
    if (first !== undefined) await this.#alarm.by(Math.max(nowMs, first))
  }

  #dueTimes(now: number, nowMs: number): number[] {
    const publishMs = this.#kv.get<number>('publish_ms')
    const deadline = this.#offers.nextDeadline()
    const isShown = (this.#kv.get<LinkView>('published')?.state ?? 'offline') !== 'offline'
    const [first] = this.#invalidVotes()
    return [
      ...(publishMs === undefined ? [] : [publishMs]),
      ...(this.#session === null ? [] : [this.#checkDueMs()]),
      ...(this.#session === null && isShown ? [this.#offlineDueMs()] : []),
      ...(deadline === null ? [] : [nowMs + (deadline - now) * 1000]),
      ...(deadline === null || this.#config.pollMs === null ? [] : [nowMs + this.#config.pollMs]),
      ...(this.#offers.hasUntold() ? [nowMs + retryMs] : []),
      ...(this.#isVoteFaulty() && first !== undefined ? [first + faultyWindowSecs * 1000] : []),
    ]
  }

  #checkDueMs(): number {
    return (this.#kv.get<number>('checked_ms') ?? 0) + checkMs
  }

  #offlineDueMs(): number {
    return (this.#kv.get<number>('gone_ms') ?? 0) + offlineAfterSecs * 1000
  }

  #isCurrent(socket: WebSocket): boolean {
    const session = this.#session
    return session !== null && this.ctx.getTags(socket).includes(session.id)
  }

  #socket(): WebSocket | null {
    const session = this.#session
    const sockets = session === null ? [] : this.ctx.getWebSockets(session.id)
    return sockets.find(({ readyState }) => readyState === WebSocket.OPEN) ?? null
  }

  #sendError(code: ErrorCode, message: string, offerId?: string): void {
    this.#send({ type: 'error', code, message, ...(offerId !== undefined && { offer_id: offerId }) })
  }

  /** What does not arrive is sent again on the next socket, or its time is over. */
  #send(frame: HubFrame): void {
    this.#socket()?.send(writeHubFrame(frame, this.#config.limits))
  }

  /** Sessions that are over, oldest first. */
  get #presences(): readonly Presence[] {
    return this.#kv.get<Presence[]>('presences') ?? []
  }

  set #presences(presences: readonly Presence[]) {
    this.#kv.put('presences', presences)
  }

  get #session(): Session | null {
    return this.#kv.get<Session>('session') ?? null
  }

  set #session(session: Session | null) {
    if (session === null) this.#kv.delete('session')
    else this.#kv.put('session', session)
  }

  /** Empty before the first socket. */
  get #nodeKey(): string {
    return this.#kv.get<string>('node_key') ?? ''
  }

  /** The session whose socket was lost; null where the node said that it goes, or is there. */
  get #lostSession(): string | null {
    return this.#kv.get<string | null>('lost_session') ?? null
  }
}

const notOpen = 'This offer is not open here.'

const isOpen = ({ state }: KeptOffer): boolean => state === 'offered' || state === 'accepted'

const codeOf = (code: string): ErrorCode =>
  Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'internal'

function offerFrame({ input_b64, input_url, ...terms }: LinkOffer): HubFrame {
  const input = input_url === null ? { input_b64: input_b64 ?? '' } : { input_url }
  return { type: 'offer', ...terms, ...input }
}
