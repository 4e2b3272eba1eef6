import { randomBytes } from 'node:crypto'
import { createTaskVote } from '../../../protocol/consensus/index.ts'
import { base64ToBytes } from '../../../protocol/encoding/index.ts'
import {
  deriveNodeId,
  type Profile,
  defaultNetworkParams as params,
  profileStrings,
  signRequest,
} from '../../../protocol/identity/index.ts'
import {
  type CancelFrame,
  closeCodes,
  type ErrorFrame,
  type NodeFrame,
  type OfferFrame,
  parseHubFrame,
  pingText,
  pongText,
  writeNodeFrame,
} from '../../../protocol/relay/index.ts'
import type { Draws } from '../../draws.ts'
import { honestResult, type Result, wrongResult } from './results.ts'

/** In how many of a hundred offers a miner does what it should not. What is left out never happens. */
export interface Habits {
  /** Does not answer the offer. */
  silent?: number
  declines?: number
  /** Accepts, and does not vote. */
  forgets?: number
  /** Votes for a wrong result, the same as every other liar. */
  lies?: number
  /** Votes for a wrong result of its own. */
  liesAlone?: number
  /** Votes twice, for two results. */
  votesTwice?: number
  /** Sends a vote whose signature is of something else. */
  votesInvalid?: number
  /** Sends what it sends again. */
  repeats?: number
  /** Loses its socket before it votes, and votes on the next one. */
  cuts?: number
}

export interface MinerOptions {
  readonly origin: string
  readonly profile: Profile
  readonly seed: string
  readonly publicKey: string
  /** Where the rewards of the node go in a project. */
  readonly payoutOf: (projectId: string) => string
  readonly slots: number
  readonly draws: Draws
  /** Network time, Unix seconds. */
  readonly now: () => Promise<number>
  /** Milliseconds that a run takes. */
  readonly runMs: number
  /** The address that the miner calls from, as the hub sees it. */
  readonly address: string
}

const retryMs = 250

/**
 * A miner that runs nothing: it keeps the socket of a device, and votes with real signatures. It reconnects by itself until
 * it is stopped, and sends votes again that the hub has not said it stored.
 */
export class SimulatedMiner {
  /** Votes that it signed, by round; of an honest round there is one. */
  readonly voted = new Map<string, Set<string>>()
  /** Rounds in which it did something wrong on purpose. */
  readonly guilty = new Set<string>()
  /** Rounds in which the hub said that it stored the vote. */
  readonly stored = new Set<string>()
  /** What it does now and then; honest when nothing is here. */
  habits: Habits = {}
  readonly #options: MinerOptions
  readonly #holding = new Map<string, readonly NodeFrame[]>()
  #socket: WebSocket | null = null
  #stopped = false
  #running: Promise<void> | null = null

  constructor(options: MinerOptions) {
    this.#options = options
  }

  get nodeId(): string {
    return deriveNodeId(this.#options.profile, this.#options.publicKey)
  }

  get publicKey(): string {
    return this.#options.publicKey
  }

  /** Connects, and returns once the hub has said hello. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#running = this.#keepConnected(resolve)
    })
  }

  /** Milliseconds of a ping over the socket, which wakes nothing of the hub. */
  async roundTrip(): Promise<number> {
    const socket = this.#socket
    if (socket === null) throw new Error('the miner is not connected')
    const begunMs = performance.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    const listen = ({ data }: MessageEvent) => {
      if (data === pongText) resolve()
    }
    socket.addEventListener('message', listen)
    socket.send(pingText)
    await promise
    socket.removeEventListener('message', listen)
    return performance.now() - begunMs
  }

  /** Cuts the socket; the miner connects again. */
  cut(): void {
    this.#socket?.close()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#socket?.close(closeCodes.normal)
    await this.#running
  }

  async #keepConnected(onHello: () => void): Promise<void> {
    while (!this.#stopped) {
      await this.#connect(onHello).catch(() => {})
      if (!this.#stopped) await delay(retryMs)
    }
  }

  /** Returns when the socket is closed. */
  async #connect(onHello: () => void): Promise<void> {
    const { origin, profile, seed, now, address } = this.#options
    const target = '/v1/relay'
    const { headers } = signRequest(profile, seed, {
      method: 'GET',
      target,
      body: '',
      timestamp: await now(),
      nonce: randomBytes(16).toString('hex'),
    })
    const socket = new WebSocket(new URL(target, origin.replace(/^http/, 'ws')), {
      protocols: [profileStrings(profile).relay_subprotocol],
      headers: { ...headers, 'CF-Connecting-IP': address },
    } as never)
    await new Promise<void>((resolve) => {
      socket.addEventListener('error', () => resolve())
      socket.addEventListener('close', () => resolve())
      socket.addEventListener('message', ({ data }) => this.#read(socket, String(data), onHello))
    })
    if (this.#socket === socket) this.#socket = null
  }

  #read(socket: WebSocket, text: string, onHello: () => void): void {
    const frame = parseHubFrame(text, params)
    switch (frame.type) {
      case 'hello':
        this.#socket = socket
        this.#ready()
        for (const frames of this.#holding.values()) for (const one of frames) this.#send(one)
        return onHello()
      case 'offer':
        return void this.#answer(frame)
      case 'voted':
        this.stored.add(roundOf(frame))
        return this.#release(frame)
      case 'cancel':
        return this.#release(frame)
      case 'error':
        return void this.#refused(frame)
    }
  }

  #ready(): void {
    this.#send({
      type: 'ready',
      slots: this.#options.slots,
      engine: 'native',
      nodectl_version: '1.0.0',
      holding: [...this.#holding.keys()],
    })
  }

  /** What the hub could not take is sent again, and what it refused is not. */
  async #refused({ code, offer_id }: ErrorFrame): Promise<void> {
    if (offer_id === undefined) return
    if (code !== 'unavailable') return this.#release({ offer_id })
    await delay(retryMs)
    for (const frame of this.#holding.get(offer_id) ?? []) this.#send(frame)
  }

  #release({ offer_id }: Pick<CancelFrame, 'offer_id'>): void {
    this.#holding.delete(offer_id)
  }

  async #answer(offer: OfferFrame): Promise<void> {
    const { draws, runMs } = this.#options
    const { habits } = this
    const { offer_id } = offer
    if (this.#holding.has(offer_id)) return
    const does = (habit: keyof Habits) => habits[habit] !== undefined && draws.percent(habits[habit])
    if (does('silent')) return
    if (does('declines')) return this.#send({ type: 'decline', offer_id, reason: 'busy' })
    this.#holding.set(offer_id, [])
    this.#send({ type: 'accept', offer_id }, does('repeats'))
    if (does('forgets')) return
    await delay(runMs)
    const frames = await this.#votesFor(offer, does)
    this.#holding.set(offer_id, frames)
    if (does('cuts')) return this.cut()
    for (const frame of frames) this.#send(frame, does('repeats'))
  }

  async #votesFor(offer: OfferFrame, does: (habit: keyof Habits) => boolean): Promise<NodeFrame[]> {
    const { publicKey } = this.#options
    const { task } = offer
    const input = await inputOf(offer)
    const honest = honestResult(task, input)
    const shared = wrongResult(task, input, 'of many')
    const wrong = [
      does('lies') && [shared],
      does('liesAlone') && [wrongResult(task, input, publicKey)],
      does('votesTwice') && [honest, shared],
    ].find((results) => results !== false)
    if (wrong !== undefined) this.guilty.add(roundOf(offer))
    const frames = (wrong ?? [honest]).map((result) => this.#vote(offer, result))
    if (!does('votesInvalid')) return frames
    this.guilty.add(roundOf(offer))
    return frames.map((frame) => ({
      ...frame,
      vote: { ...frame.vote, signature: frame.vote.round_signature },
    }))
  }

  #vote(offer: OfferFrame, { receipt, output }: Result) {
    const { profile, seed, payoutOf } = this.#options
    const { task, position, offer_id } = offer
    const vote = createTaskVote(profile, seed, {
      task,
      receipt,
      payout_address: payoutOf(task.project_id),
      position,
    })
    const own = this.voted.get(vote.round_id) ?? new Set()
    this.voted.set(vote.round_id, own.add(vote.receipt_hash))
    return {
      type: 'vote' as const,
      offer_id,
      vote,
      output_b64: Buffer.from(output).toString('base64'),
      events: [],
    }
  }

  #send(frame: NodeFrame, twice = false): void {
    const socket = this.#socket
    if (socket === null || socket.readyState !== WebSocket.OPEN) return
    const text = writeNodeFrame(frame, params)
    socket.send(text)
    if (twice) socket.send(text)
  }
}

const roundOf = ({ offer_id }: Pick<OfferFrame, 'offer_id'>): string => `task:0x${offer_id.slice(0, 64)}`

async function inputOf({ input_b64, input_url }: OfferFrame): Promise<Uint8Array> {
  if (input_b64 !== undefined) return base64ToBytes(input_b64) ?? new Uint8Array(0)
  const response = await fetch(input_url as string)
  return new Uint8Array(await response.arrayBuffer())
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
