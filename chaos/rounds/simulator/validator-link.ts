import { randomBytes } from 'node:crypto'
import type { WebSocket } from 'ws'
import {
  type Profile,
  defaultNetworkParams as params,
  profileStrings,
  signRequest,
} from '../../../protocol/identity/index.ts'
import {
  closeCodes,
  type NodeFrame,
  parseHubFrame,
  type RoundAnswer,
  type RoundToDecide,
  writeNodeFrame,
} from '../../../protocol/link/index.ts'
import { delay } from '../../harness/time.ts'
import { openSocket } from './socket.ts'

export interface ValidatorLinkOptions {
  readonly profile: Profile
  readonly seed: string
  readonly origin: string
  /** Network time by its clock, Unix seconds. */
  readonly now: () => Promise<number>
  readonly isDown: () => boolean
  /** Null if it stays silent. */
  readonly decide: (round: RoundToDecide) => Promise<RoundAnswer | null>
}

const retryMs = 1_000

/** The link of a simulated validator to the hub: one socket after the other. */
export class ValidatorLink {
  readonly #options: ValidatorLinkOptions
  #socket: WebSocket | null = null
  #isStopped = false
  readonly #running: Promise<void>

  constructor(options: ValidatorLinkOptions) {
    this.#options = options
    this.#running = this.#keepConnected()
  }

  /** Its process ends. */
  cut(): void {
    this.#socket?.close(closeCodes.normal)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.cut()
    await this.#running
  }

  async #keepConnected(): Promise<void> {
    while (!this.#isStopped) {
      if (!this.#options.isDown()) await this.#connect().catch(() => {})
      if (!this.#isStopped) await delay(retryMs)
    }
  }

  /** Returns when the socket is closed. */
  async #connect(): Promise<void> {
    const { profile, seed, origin, now } = this.#options
    const target = '/v1/relay'
    const nonce = randomBytes(16).toString('hex')
    const signed = { method: 'GET', target, body: '', timestamp: await now(), nonce }
    const { headers } = signRequest(profile, seed, signed)
    const socket = openSocket(target, origin, profileStrings(profile).relay_subprotocol, headers)
    this.#socket = socket
    const send = (frame: NodeFrame) => socket.send(writeNodeFrame(frame, params))
    await new Promise<void>((resolve) => {
      socket.on('error', () => resolve())
      socket.on('close', () => resolve())
      socket.on('message', (data) => void this.#read(String(data), send))
    })
  }

  async #read(text: string, send: (frame: NodeFrame) => void): Promise<void> {
    const { decide, isDown } = this.#options
    if (isDown()) return
    const frame = parseHubFrame(text, params)
    if (frame.type === 'hello') {
      const what = { slots: 0, engine: 'native', nodectl_version: '1.0.0', holding: [] } as const
      send({ type: 'ready', ...what, role: 'validator' })
    }
    if (frame.type !== 'decide') return
    const answers = (await Promise.all(frame.rounds.map(decide))).filter((answer) => answer !== null)
    if (answers.length > 0) send({ type: 'decided', answers })
  }
}
