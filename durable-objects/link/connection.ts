import { bytesToHex } from '../../protocol/encoding/index.ts'
import {
  closeCodes,
  type FrameLimits,
  type HubFrame,
  offlineAfterSecs,
  returnSecsMin,
  silentAfterSecs,
  writeHubFrame,
} from '../../protocol/link/index.ts'
import type { KeptValues } from './kept-values.ts'
import type { OfferLedger } from './offers.ts'
import { withPresence } from './presences.ts'
import type { Absence, Presence } from './types.ts'

export interface Session {
  /** Also the tag of its socket. */
  id: string
  sinceMs: number
  ready: { slots: number; latencyMs: number; isValidator?: boolean } | null
  badFrames: number
  /** The version of its frames; left out by the build before, which knew none above 2. */
  frames?: number
}

/**
 * The sockets of a node. At most one is listened to: the one whose tag is the id of the stored session. Of ended sessions it is known when
 * they were, and whether the node or the hub ended them.
 */
export class Connection {
  readonly #ctx: DurableObjectState
  readonly #kv: KeptValues
  readonly #offers: OfferLedger
  readonly #limits: FrameLimits

  constructor(ctx: DurableObjectState, kv: KeptValues, offers: OfferLedger, limits: FrameLimits) {
    this.#ctx = ctx
    this.#kv = kv
    this.#offers = offers
    this.#limits = limits
    // A process that is killed closes no socket.
    if (this.session !== null && !this.isOpen) this.#disconnected('lost', true)
  }

  get session(): Session | null {
    return this.#kv.get<Session>('session') ?? null
  }

  set session(session: Session | null) {
    if (session === null) this.#kv.delete('session')
    else this.#kv.put('session', session)
  }

  /** Empty before the first socket. */
  get nodeKey(): string {
    return this.#kv.get<string>('node_key') ?? ''
  }

  get isOpen(): boolean {
    return this.#socket !== undefined
  }

  /** Listens to this socket from now on. @returns The id of its session. */
  accept(nodeKey: string, socket: WebSocket, frames: number): string {
    for (const other of this.#ctx.getWebSockets())
      other.close(closeCodes.replaced, 'another socket took over')
    const id = bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)
    if (this.session !== null) this.#disconnected('lost')
    this.#ctx.acceptWebSocket(socket, [id])
    if (this.nodeKey !== nodeKey) this.#kv.put('node_key', nodeKey)
    this.session = { id, sinceMs: Date.now(), ready: null, badFrames: 0, frames }
    return id
  }

  isCurrent(socket: WebSocket): boolean {
    const { session } = this
    return session !== null && this.#ctx.getTags(socket).includes(session.id)
  }

  /** A frame that does not arrive is sent again on the next socket, unless its time is over. */
  send(frame: HubFrame): void {
    this.sendText(writeHubFrame(frame, this.#limits))
  }

  sendText(text: string): void {
    this.#socket?.send(text)
  }

  close(code: number, reason: string): void {
    this.#socket?.close(code, reason)
    this.#disconnected(code === closeCodes.policy ? 'lost' : 'left')
  }

  /**
   * The node is banned: it loses its socket, and owes nothing from then on until it opened another one, because only the hub can let it in.
   * It could not answer the offers that it held.
   */
  bar(): void {
    if (this.session !== null) {
      this.#socket?.close(closeCodes.banned, 'this device is banned')
      this.#disconnected('left', true)
    }
    const presences = this.#presences
    const last = presences.at(-1)
    if (last === undefined || this.isBarred) return
    this.#kv.put('barred_session', last.sessionId)
    this.#kv.put('presences', presences.with(-1, { ...last, byHub: true }))
    this.#offers.noteLost(last.sessionId)
  }

  /** Whether a ban keeps the node away, or it has opened no socket since then. */
  get isBarred(): boolean {
    return this.session === null && this.#presences.at(-1)?.sessionId === this.#barredSession
  }

  /** A socket was closed. @returns Whether it was the one that is listened to. */
  gone(socket: WebSocket, code?: number): boolean {
    const [sessionId] = this.#ctx.getTags(socket)
    if (code === closeCodes.normal && this.#lostSession === sessionId) this.#kv.put('lost_session', null)
    if (code !== closeCodes.restart) this.#leftByItself(sessionId)
    if (!this.isCurrent(socket)) return false
    this.#disconnected(code === closeCodes.normal ? 'left' : 'lost')
    return true
  }

  /** Whether somebody is behind the socket: one that pinged and then fell silent is gone. */
  isListening(): boolean {
    const socket = this.#socket
    if (socket === undefined) {
      // It was lost, and the event that says so is still to come.
      this.#disconnected('lost')
      return false
    }
    const pingedAt = this.#ctx.getWebSocketAutoResponseTimestamp(socket)
    if (pingedAt === null || Date.now() - pingedAt.getTime() <= silentAfterSecs * 1000) return true
    this.close(closeCodes.normal, 'silent')
    return false
  }

  /** When the last socket went; null if that is not known yet. */
  get goneMs(): number | null {
    return this.session === null ? (this.#kv.get<number>('gone_ms') ?? 0) : null
  }

  /**
   * Nodes that come back from a loss spread over longer than a few seconds are given as much longer. Nobody waits for one that was banned.
   */
  get offlineDueMs(): number {
    if (this.isBarred) return 0
    const returnSecs = this.#lostSession === null ? returnSecsMin : this.returnSecs
    return (this.#kv.get<number>('gone_ms') ?? 0) + (offlineAfterSecs + returnSecs - returnSecsMin) * 1000
  }

  /** In how many seconds the node was told to come back. */
  get returnSecs(): number {
    return this.#kv.get<number>('return_secs') ?? returnSecsMin
  }

  set returnSecs(secs: number) {
    if (this.returnSecs !== secs) this.#kv.put('return_secs', secs)
  }

  /** Why a device has no socket: it is blamed only where it left by itself after the set had been built. */
  absence(now: number, snapshotAt: number | null): Absence | 'away' {
    if (Date.now() < this.offlineDueMs && this.#lostSession !== null) return 'away'
    const presences = this.#presences
    const last = presences.at(-1)
    // A node that is connected has not said yet that it is ready.
    if (snapshotAt === null || last === undefined || this.session !== null) return 'absent'
    const snapshotMs = Date.now() - (now - snapshotAt) * 1000
    const wasThere = presences.some(({ sinceMs, goneMs }) => sinceMs <= snapshotMs && goneMs >= snapshotMs)
    if (!wasThere) return 'absent'
    return last.byHub ? 'dropped' : 'offline'
  }

  /**
   * A node that did not say that this is the end comes back by itself. Its session is kept: an object that slept takes its socket for lost
   * before it is told how the socket was closed.
   */
  #disconnected(how: 'left' | 'lost', byHub = false): void {
    const { session } = this
    const goneMs = Date.now()
    this.#kv.put('lost_session', how === 'lost' ? (session?.id ?? null) : null)
    if (session !== null) {
      const { id: sessionId, sinceMs } = session
      this.#kv.put('presences', withPresence(this.#presences, { sessionId, sinceMs, goneMs, byHub }))
      if (byHub) this.#offers.noteLost(sessionId)
    }
    this.session = null
    this.#kv.put('gone_ms', goneMs)
  }

  /** A socket whose end is told did not end with a process of the hub. That a ban ended it stays so, however its node closes it. */
  #leftByItself(sessionId: string | undefined): void {
    if (sessionId === this.#barredSession) return
    const presences = this.#presences
    const at = presences.findIndex((one) => one.sessionId === sessionId && one.byHub)
    const presence = presences[at]
    if (presence === undefined) return
    this.#kv.put('presences', presences.with(at, { ...presence, byHub: false }))
    this.#offers.noteLeft(presence.sessionId)
  }

  get #socket(): WebSocket | undefined {
    const { session } = this
    const sockets = session === null ? [] : this.#ctx.getWebSockets(session.id)
    return sockets.find(({ readyState }) => readyState === WebSocket.OPEN)
  }

  get #presences(): readonly Presence[] {
    return this.#kv.get<Presence[]>('presences') ?? []
  }

  /** The last session before the last ban; null if there was none. */
  get #barredSession(): string | null {
    return this.#kv.get<string>('barred_session') ?? null
  }

  /** The session whose socket was lost; null if the node said that it goes, or is there. */
  get #lostSession(): string | null {
    return this.#kv.get<string | null>('lost_session') ?? null
  }
}
