import { type ParamsSchedule, type Profile, profileStrings } from '../../../../protocol/identity/index.ts'
import {
  badFramesMax,
  closeCodes,
  FrameError,
  type FrameLimits,
  type HelloFrame,
  type HubFrame,
  type NodeFrame,
  type PongFrame,
  parseHubFrame,
  type ReadyFrame,
  returnSecsMin,
  subprotocolsOf,
  writeNodeFrame,
} from '../../../../protocol/link/index.ts'
import { unsupportedBy } from '../../versions.ts'
import { type Clock, systemClock } from '../clock.ts'
import { type HubClient, type RequestSigner, readNetworkToServe } from '../hub/index.ts'
import { compareParams, sameParams } from '../hub/network-params.ts'
import { repeat, type Wait, waitUnreferenced } from '../hub/repeat.ts'
import type { Log } from '../log.ts'
import { type LinkSocket, openLinkSocket, type SocketPatience, socketPatience } from './link-socket.ts'
import { type AwayState, type Parting, partingOf, partingOfError, reconnectSeconds } from './reconnection.ts'

/**
 * How the link of a node to its hub stands.
 *
 * | state        | meaning                                                                          |
 * | ------------ | -------------------------------------------------------------------------------- |
 * | `connecting` | the first try is under way                                                       |
 * | `connected`  | the hub has said hello, and knows what this node takes                           |
 * | `away`       | nobody answers, or the connection was cut; the node tries again                  |
 * | `refused`    | the hub does not take this node now: `problem` says why; it tries again          |
 * | `replaced`   | another process has the key of this node; this one stays away until it restarts  |
 * | `banned`     | an operator banned the device; it asks slowly whether it may come back           |
 * | `stopped`    | the node stops                                                                   |
 */
export type LinkState = 'connecting' | 'connected' | 'stopped' | AwayState

export interface LinkStanding {
  readonly state: LinkState
  /** Why, and what mends it; null while nothing is wrong. */
  readonly problem: string | null
  /** A coming problem, and how to prevent it; null while none is known. */
  readonly warning: string | null
  readonly sessionId: string | null
  /** Unix seconds of this machine since which the state is. */
  readonly since: number
  readonly latencyMs: number | null
  /** How far network time, as the hub said it last, is ahead of the clock that this node dates by. */
  readonly clockAheadSeconds: number | null
}

export type WorkFrame = Exclude<HubFrame, HelloFrame | PongFrame>

export interface LinkOptions {
  readonly client: HubClient
  readonly profile: Profile
  /** The time that this node dates by, which is not that of the hub. */
  readonly clock: Clock
  /** Whether heartbeats set that clock by the time of the hub. */
  readonly followsTime?: boolean
  readonly signer: RequestSigner
  readonly limits: FrameLimits
  /** The parameters that this node reckons with. */
  readonly paramsSchedule: ParamsSchedule
  readonly ready: () => Omit<ReadyFrame, 'type'>
  /** Called after hello was answered with ready, to repeat the frames that the hub may have missed. */
  readonly joined: () => void
  readonly heard: (frame: WorkFrame) => void
  readonly changed: (standing: LinkStanding) => void
  readonly log: Log
  readonly patience?: SocketPatience
  readonly wait?: Wait
  readonly random?: () => number
}

const path = '/v1/relay'

/**
 * The link of a node to its hub: one WebSocket after the other, for as long as the node runs. Its timers keep no process
 * alive.
 */
export class Link {
  readonly #options: LinkOptions
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #standing: Omit<LinkStanding, 'clockAheadSeconds'>
  #socket: LinkSocket | null = null
  #failures = 0
  /** Pause and ticket of the last hello, for the next connection. */
  #return: { readonly secs: number; readonly ticket: string | null } = { secs: returnSecsMin, ticket: null }
  /** The time that the hub said last, and when that was by a clock that nobody sets. */
  #hubTime: { readonly secs: number; readonly atMs: number; readonly dateMs: number } | null = null
  #lastReady = ''
  #params = sameParams
  /** Whether both sides know frames of version 4. */
  #takesErrors = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#standing = {
      state: 'connecting',
      problem: null,
      warning: null,
      sessionId: null,
      since: systemClock.now(),
      latencyMs: null,
    }
    this.#running = repeat(() => this.#connect(), this.#stopping.signal, options.wait ?? waitUnreferenced)
  }

  get standing(): LinkStanding {
    const ahead = this.#hubTime === null ? null : this.hubTime() - this.#options.clock.now()
    return { ...this.#standing, clockAheadSeconds: ahead }
  }

  /** The time of the hub, Unix seconds, also after the clock of this machine was set. A clock that follows the hub has it. */
  hubTime(): number {
    const { clock, followsTime } = this.#options
    if (this.#hubTime === null || followsTime) return clock.now()
    const { secs, atMs } = this.#hubTime
    return secs + Math.floor((performance.now() - atMs) / 1000)
  }

  /** Sends a frame; false when there is no connection. @throws {@link FrameError} for a frame that is too large to be sent. */
  send(frame: NodeFrame): boolean {
    return this.sendText(writeNodeFrame(this.#known(frame), this.#options.limits))
  }

  /** A hub refuses members that its frames do not have. */
  #known(frame: NodeFrame): NodeFrame {
    if (frame.type !== 'vote' || this.#takesErrors) return frame
    const { error: _, ...earlier } = frame
    return earlier
  }

  /** The same for a frame that is a text already. */
  sendText(text: string): boolean {
    return this.#standing.state === 'connected' && (this.#socket?.send(text) ?? false)
  }

  /** Says what the node takes, where that is something else than it said last. */
  announce(): void {
    const frame: ReadyFrame = { type: 'ready', ...this.#options.ready() }
    const text = JSON.stringify(frame)
    if (text !== this.#lastReady && this.send(frame)) this.#lastReady = text
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#socket?.close(closeCodes.normal, 'the node stops')
    await this.#running
    this.#update({ state: 'stopped', problem: null })
  }

  async #connect(): Promise<number> {
    const parting = await this.#tryOnce()
    if (this.#stopping.signal.aborted) return 0
    const { state, problem, retryInSeconds } = parting
    this.#update({ state, problem, sessionId: null, latencyMs: null })
    this.#failures += 1
    if (retryInSeconds === null) this.#stopping.abort()
    return retryInSeconds ?? 0
  }

  async #tryOnce(): Promise<Parting> {
    const { client, profile, random = Math.random } = this.#options
    try {
      // A server that answers after a silence may be another one, and the upgrade request is signed.
      await readNetworkToServe(client, profile)
    } catch (error) {
      return partingOfError(error, this.#soon(), random())
    }
    if (this.#stopping.signal.aborted) return partingOf(notOpened, 0, 0)
    return this.#live()
  }

  #live(): Promise<Parting> {
    const { client, profile, signer, limits } = this.#options
    const { random = Math.random, patience = socketPatience, followsTime } = this.#options
    return new Promise((resolve) => {
      let badFrames = 0
      let problem: Parting | null = null
      let awaitingHello: NodeJS.Timeout | undefined
      const leave = (code: number, why: Parting): void => {
        problem ??= why
        this.#socket?.close(code, '')
      }
      const hear = (text: string): void => {
        try {
          const frame = parseHubFrame(text, limits)
          const over = this.#paramsOver()
          if (over !== null) return leave(closeCodes.normal, over)
          if (frame.type !== 'hello') return this.#hear(frame)
          clearTimeout(awaitingHello)
          const wrong = this.#greet(frame)
          if (wrong !== null) leave(closeCodes.normal, wrong)
        } catch (error) {
          if (!(error instanceof FrameError)) throw error
          badFrames += 1
          this.#options.log.warn('the hub sent a frame that breaks a rule', { reason: error.message })
          if (badFrames >= badFramesMax) this.#socket?.close(closeCodes.policy, 'three frames broke a rule')
        }
      }
      this.#lastReady = ''
      this.#socket = openLinkSocket({
        url: client.origin.replace(/^http/, 'ws') + path,
        protocols: subprotocolsOf(profile),
        headers: {
          ...signer({ method: 'GET', target: path, body: '' }),
          ...(this.#return.ticket !== null && {
            [profileStrings(profile).ticket_header]: this.#return.ticket,
          }),
        },
        frameBytesMax: limits.relay_max_frame_bytes,
        patience,
        opened: () => {
          const silent = () => leave(closeCodes.policy, partingOf(noHello, this.#soon(), random()))
          awaitingHello = setTimeout(silent, 1000 * patience.hello).unref()
        },
        heard: hear,
        measured: (latencyMs) => {
          this.#standing = { ...this.#standing, latencyMs }
          // A hub that offers nothing sends only pongs.
          const over = this.#paramsOver() ?? this.#timeLost()
          if (over !== null) leave(closeCodes.normal, over)
        },
        ended: (end) => {
          clearTimeout(awaitingHello)
          this.#socket = null
          resolve(problem ?? partingOf(end, this.#soon(), random(), followsTime))
        },
      })
    })
  }

  /** When to try again by itself. */
  #soon(): number {
    const { random = Math.random } = this.#options
    return reconnectSeconds(this.#failures, random(), this.#return.secs)
  }

  /** @returns The reason not to work for this hub; null if the node can work for it. */
  #greet(hello: HelloFrame): Parting | null {
    const { session_id: sessionId, time } = hello
    const { paramsSchedule, joined } = this.#options
    const params = compareParams(paramsSchedule, hello)
    const unsupported = hello.nodectl_min === undefined ? null : unsupportedBy(hello.nodectl_min)
    const problem = params.refusal ?? unsupported
    if (problem !== null) return { state: 'refused', problem, retryInSeconds: otherVersionSeconds }
    this.#params = params
    this.#hubTime = { secs: time, atMs: performance.now(), dateMs: Date.now() }
    this.#failures = 0
    this.#takesErrors = hello.frames?.includes(4) ?? false
    this.#return = { secs: hello.retry_after ?? this.#return.secs, ticket: hello.ticket ?? null }
    this.#update({
      state: 'connected',
      problem: null,
      warning: params.warning,
      sessionId,
    })
    this.announce()
    joined()
    return null
  }

  /** A node that does not know a change leaves when the epochs that began before it are over. */
  #paramsOver(): Parting | null {
    const { endsAt, warning } = this.#params
    if (endsAt === null || warning === null || this.#options.clock.now() < endsAt) return null
    return { state: 'refused', problem: warning, retryInSeconds: otherVersionSeconds }
  }

  /** While a machine sleeps, only its date goes on; when its clock is set, only the date leaps. The next hello says the time. */
  #timeLost(): Parting | null {
    if (this.#hubTime === null) return null
    const { atMs, dateMs } = this.#hubTime
    const lostMs = Math.abs(Date.now() - dateMs - (performance.now() - atMs))
    if (lostMs <= 1000 * clockLeapSeconds) return null
    const problem =
      'the clock of this machine was set, or the machine slept; the node asks the hub for the time'
    return { state: 'away', problem, retryInSeconds: returnSecsMin }
  }

  #hear(frame: WorkFrame | PongFrame): void {
    // A hub that has not said whose network it is gives no work.
    if (this.#standing.state === 'connected' && frame.type !== 'pong') this.#options.heard(frame)
  }

  #update(change: Partial<Omit<LinkStanding, 'clockAheadSeconds'>>): void {
    const before = this.#standing
    const isOther = change.state !== undefined && change.state !== before.state
    this.#standing = { ...before, ...change, ...(isOther && { since: systemClock.now() }) }
    if (isOther || this.#standing.problem !== before.problem) this.#options.changed(this.standing)
  }
}

const otherVersionSeconds = 300
/** A smaller leap costs no offer: a node has ten seconds to accept. */
const clockLeapSeconds = 3
const notOpened = { kind: 'unreachable', message: 'the node stops' } as const
const noHello = { kind: 'closed', code: closeCodes.policy, message: 'the hub did not send hello' } as const
