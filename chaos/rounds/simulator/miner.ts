import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import { nodeSigner } from '../../../node-cli/src/node-signer.ts'
import {
  deriveNodeId,
  type Profile,
  defaultNetworkParams as params,
  profileStrings,
  signRequest,
} from '../../../protocol/identity/index.ts'
import {
  closeCodes,
  type ErrorFrame,
  type NodeFrame,
  type OfferFrame,
  parseHubFrame,
  pingText,
  pongText,
  type VoteFrame,
  writeNodeFrame,
} from '../../../protocol/link/index.ts'
import type { Ed25519Signer } from '../../../protocol/signatures/index.ts'
import { type Conduct, isInterruption, isLie, mayMiss } from '../../harness/conduct.ts'
import type { FaultCounts } from '../../harness/figures.ts'
import { delay } from '../../harness/time.ts'
import { createVoteFrame, inputOf, resultsOf, roundOf } from './offers.ts'
import { openSocket } from './socket.ts'
import type { Wire } from './wire.ts'

export interface MinerOptions {
  readonly wire: Wire
  readonly profile: Profile
  readonly seed: string
  readonly publicKey: string
  /** The address that receives its rewards. */
  readonly payout: string
  readonly slots: number
  /** Its conduct in a task, as a member of its committee at this position. */
  readonly conductOf: (input: string, position: number) => Conduct
  /** Network time, Unix seconds. */
  readonly now: () => Promise<number>
  /** The address that the miner calls from, as the hub sees it. */
  readonly address: string
  readonly faults: FaultCounts
  /** Seconds that its clock is ahead of the network's, as of now. */
  readonly skew?: () => number
}

const retryMs = 250
const runMs = 10
/** A connection that is cut is there again by then, unless the machine is too busy. */
const momentMs = 5_000
/** For how long a process that was killed is away. */
const restartMs = 500
/** The third one within a day makes a device faulty, and it would stand in no further committee. */
const invalidVotesMax = 2

/**
 * A miner that runs nothing: it keeps the socket of a device, and votes with real signatures. It connects again by itself
 * until it is stopped, and sends votes again that the hub has not said it stored. Its votes survive a kill, as those of a
 * real node do; what it works on does not.
 */
export class SimulatedMiner {
  /** Receipts that it voted for, by round; of an honest round there is one. */
  readonly voted = new Map<string, Set<string>>()
  /** Rounds in which it did something wrong on purpose. */
  readonly guilty = new Set<string>()
  /** Rounds in which it may have missed its vote by its own doing. */
  readonly owing = new Set<string>()
  /** Rounds in which the hub said that it stored the vote. */
  readonly stored = new Set<string>()
  /** When it last heard of the hub, by the clock of the process. */
  heardAtMs = 0
  /** When it was gone by its own doing for as long as an answer may take: killed, or cut off. By the clock of the process. */
  readonly goneAtMs: number[] = []
  /** Its frames and the state of its connections, to explain a difference. */
  readonly journal: { readonly ms: number; readonly roundId: string | null; readonly text: string }[] = []
  readonly #options: MinerOptions
  readonly #signer: Ed25519Signer
  /** Votes on disk, by offer, until the hub has answered them. */
  readonly #votes = new Map<string, readonly VoteFrame[]>()
  readonly #running = new Set<string>()
  /** Offers about which something happened to it already. */
  readonly #interrupted = new Set<string>()
  /** Offers of which it sends the vote once more when it was stored. */
  readonly #repeating = new Map<string, VoteFrame>()
  #slots: number
  #invalidVotes = 0
  #socket: WebSocket | null = null
  /** Changes when the process is killed: what the former one had begun comes to nothing. */
  #life = 0
  #cutAtMs: number | null = null
  #isAway = false
  #stopped = false
  #connecting: Promise<void> | null = null

  constructor(options: MinerOptions) {
    this.#options = options
    this.#signer = nodeSigner(options.seed)
    this.#slots = options.slots
  }

  get nodeId(): string {
    return deriveNodeId(this.#options.profile, this.#options.publicKey)
  }

  get publicKey(): string {
    return this.#options.publicKey
  }

  /** Whether it has its socket, or means to have none. */
  get isConnected(): boolean {
    return this.#isAway || this.#socket !== null
  }

  /** Whether it waits for nothing: what it was offered is done. */
  get isIdle(): boolean {
    return this.#isAway || (this.#socket !== null && this.#votes.size === 0 && this.#running.size === 0)
  }

  /** Connects, and returns once the hub has said hello. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#connecting = this.#keepConnected(resolve)
    })
  }

  /** Milliseconds of a ping over the socket, which wakes nothing of the hub. */
  async roundTrip(): Promise<number> {
    const socket = this.#socket
    if (socket === null) throw new Error('the miner is not connected')
    const begunMs = performance.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    const listen = (data: Buffer) => {
      if (String(data) === pongText) resolve()
    }
    socket.on('message', listen)
    socket.send(pingText)
    await promise
    socket.off('message', listen)
    return performance.now() - begunMs
  }

  /** Breaks its connection; it connects again. */
  cut(): void {
    this.#options.faults.note('socket_cut')
    this.#note('its socket is cut')
    this.#cutAtMs ??= performance.now()
    this.#options.wire.cut()
  }

  /** Kills its process, which stays away until {@link return}. */
  die(): void {
    this.#options.faults.note('node_killed')
    this.#note('it is killed')
    this.goneAtMs.push(performance.now())
    this.#end()
    this.#options.wire.cut()
  }

  /** Ends its process as its owner does: the hub is told. It stays away until {@link return}. */
  leave(): void {
    this.#options.faults.note('node_stopped')
    this.#note('it is stopped')
    const socket = this.#socket
    this.#end()
    socket?.close(closeCodes.normal)
  }

  #end(): void {
    this.#life += 1
    this.#running.clear()
    this.#socket = null
    this.#isAway = true
  }

  return(): void {
    this.#isAway = false
  }

  /** Offers the hub another number of slots from now on. */
  offerSlots(slots: number): void {
    this.#slots = slots
    this.#sayReady()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#socket?.close(closeCodes.normal)
    await this.#connecting
  }

  async #keepConnected(onHello: () => void): Promise<void> {
    while (!this.#stopped) {
      if (!this.#isAway) await this.#connect(onHello).catch(() => {})
      if (!this.#stopped) await delay(retryMs)
    }
  }

  /** Returns when the socket is closed. */
  async #connect(onHello: () => void): Promise<void> {
    const { wire, profile, now, address, skew = () => 0 } = this.#options
    const target = '/v1/relay'
    const { headers } = signRequest(profile, this.#signer, {
      method: 'GET',
      target,
      body: '',
      timestamp: (await now()) + skew(),
      nonce: randomBytes(16).toString('hex'),
    })
    const life = this.#life
    const socket = openSocket(target, wire.origin, profileStrings(profile).relay_subprotocol, {
      ...headers,
      'CF-Connecting-IP': address,
    })
    await new Promise<void>((resolve) => {
      socket.on('error', () => resolve())
      socket.on('close', () => resolve())
      socket.on('message', (data, isBinary) => {
        if (isBinary) throw new Error('the hub sent bytes, and frames are texts')
        if (life === this.#life) this.#read(socket, String(data), onHello)
      })
    })
    this.#note('its socket is closed')
    if (this.#socket === socket) this.#socket = null
  }

  #read(socket: WebSocket, text: string, onHello: () => void): void {
    this.heardAtMs = performance.now()
    if (text === pongText) return
    const frame = parseHubFrame(text, params)
    this.#note(`hears ${frame.type === 'error' ? frame.message : frame.type}`, frame)
    switch (frame.type) {
      case 'hello':
        this.#socket = socket
        if (this.#cutAtMs !== null && performance.now() - this.#cutAtMs > momentMs)
          this.goneAtMs.push(this.#cutAtMs)
        this.#cutAtMs = null
        this.#sayReady()
        for (const frames of this.#votes.values()) for (const one of frames) this.#send(one)
        return onHello()
      case 'offer':
        return void this.#take(frame)
      case 'voted':
        this.stored.add(roundOf(frame))
        this.#repeat(frame.offer_id)
        return this.#release(frame.offer_id)
      case 'cancel':
        return this.#release(frame.offer_id)
      case 'error':
        return void this.#refused(frame)
    }
  }

  #sayReady(): void {
    this.#send({
      type: 'ready',
      slots: this.#slots,
      engine: 'native',
      nodectl_version: '1.0.0',
      holding: [...this.#votes.keys(), ...this.#running],
    })
  }

  /** Sends a vote again that the hub could not take; a vote that it refused is not sent again. */
  async #refused({ code, offer_id }: ErrorFrame): Promise<void> {
    if (offer_id === undefined || this.#running.has(offer_id)) return
    if (code !== 'unavailable') return this.#release(offer_id)
    await delay(retryMs)
    for (const frame of this.#votes.get(offer_id) ?? []) this.#send(frame)
  }

  #repeat(offerId: string): void {
    const frame = this.#repeating.get(offerId)
    if (frame === undefined) return
    this.#repeating.delete(offerId)
    this.#options.faults.note('frame_repeated')
    this.#send(frame)
  }

  #release(offerId: string): void {
    this.#votes.delete(offerId)
    this.#running.delete(offerId)
  }

  async #take(offer: OfferFrame): Promise<void> {
    const { offer_id } = offer
    if (this.#votes.has(offer_id) || this.#running.has(offer_id)) return
    const life = this.#life
    this.#running.add(offer_id)
    const input = await inputOf(offer)
    const conduct = this.#conductFor(offer, Buffer.from(input).toString())
    await this.#answer(offer, input, conduct, () => this.#life !== life)
  }

  #conductFor({ offer_id, position }: OfferFrame, input: string): Conduct {
    const planned = this.#options.conductOf(input, position)
    if (planned === 'votes_invalid' && this.#invalidVotes >= invalidVotesMax) return 'honest'
    if (!isInterruption(planned)) return planned
    if (this.#interrupted.has(offer_id)) return 'honest'
    this.#interrupted.add(offer_id)
    return planned
  }

  /** @param isKilled Whether the process that began this has ended. */
  async #answer(offer: OfferFrame, input: Uint8Array, conduct: Conduct, isKilled: () => boolean) {
    const { faults } = this.#options
    const { offer_id } = offer
    if (conduct !== 'honest' && !isInterruption(conduct)) faults.note(conduct)
    if (mayMiss(conduct)) this.owing.add(roundOf(offer))
    if (isLie(conduct)) this.guilty.add(roundOf(offer))
    if (conduct === 'silent') return this.#release(offer_id)
    if (conduct === 'declines') {
      this.#release(offer_id)
      return this.#send({ type: 'decline', offer_id, reason: 'busy' })
    }
    if (conduct === 'cut_before_accept') {
      this.#release(offer_id)
      return this.cut()
    }
    if (conduct === 'killed_before_accept') return this.#restart()
    if (conduct === 'sends_unknown') this.#sendUnknown(offer_id)
    this.#send({ type: 'accept', offer_id }, conduct === 'repeats')
    if (conduct === 'forgets') return this.#release(offer_id)
    if (conduct === 'votes_late') {
      // It waits for no answer in time, so nobody has to wait for it.
      this.#running.delete(offer_id)
      while ((await this.#options.now()) <= offer.vote_by) await delay(retryMs)
    }
    await delay(runMs)
    if (isKilled()) return
    if (conduct === 'killed_before_vote') return this.#restart()
    this.#vote(offer, input, conduct)
    if (conduct === 'cut_after_vote') this.cut()
    if (conduct === 'killed_after_vote') this.#restart()
  }

  #vote(offer: OfferFrame, input: Uint8Array, conduct: Conduct): void {
    const { profile, payout } = this.#options
    const frames = resultsOf(offer, input, conduct, this.publicKey).map((result) =>
      createVoteFrame(profile, this.#signer, offer, payout, result),
    )
    const [first] = frames as [VoteFrame]
    const receipts = frames.map(({ vote }) => vote.receipt_hash)
    this.voted.set(roundOf(offer), new Set([...(this.voted.get(roundOf(offer)) ?? []), ...receipts]))
    this.#votes.set(offer.offer_id, frames)
    this.#running.delete(offer.offer_id)
    if (conduct === 'cut_before_vote') return this.cut()
    if (conduct === 'repeats') this.#repeating.set(offer.offer_id, first)
    if (conduct === 'votes_invalid') {
      this.#invalidVotes += 1
      this.#send({ ...first, vote: { ...first.vote, signature: first.vote.round_signature } })
    }
    for (const frame of frames) this.#send(frame, conduct === 'repeats')
  }

  /** Its process is killed, and starts again shortly. */
  #restart(): void {
    this.die()
    setTimeout(() => this.return(), restartMs)
  }

  /** Frames that a hub cannot read, of which the third closes a socket, and two about an offer that nobody made. */
  #sendUnknown(offerId: string): void {
    const unknown = `${[...offerId.slice(0, 64)].reverse().join('')}.0`
    const frames = [
      '{"type":"dance"}',
      new Uint8Array([0, 1, 2]),
      JSON.stringify({ type: 'accept', offer_id: unknown }),
      JSON.stringify({ type: 'decline', offer_id: unknown, reason: 'busy' }),
    ]
    this.#options.faults.note('frame_unknown', frames.length)
    for (const frame of frames) this.#sendRaw(frame)
  }

  #send(frame: NodeFrame, twice = false): void {
    this.#note(`says ${frame.type}`, frame)
    const text = writeNodeFrame(frame, params)
    this.#sendRaw(text)
    if (!twice) return
    this.#options.faults.note('frame_repeated')
    this.#sendRaw(text)
  }

  #note(text: string, about: object = {}): void {
    const roundId = 'offer_id' in about ? roundOf(about as OfferFrame) : null
    this.journal.push({ ms: Math.round(performance.now()), roundId, text })
  }

  #sendRaw(frame: string | Uint8Array): void {
    const socket = this.#socket
    if (socket?.readyState === WebSocket.OPEN) socket.send(frame)
  }
}
