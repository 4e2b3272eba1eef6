import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import { type Profile, profileStrings, signRequest } from '../../protocol/identity/index.ts'
import { subprotocolsOf } from '../../protocol/link/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: Answers of a hub under test may be anything.
export type Answer = any

const callMs = 60_000
const frameMs = 20_000

/** How an upgrade request ended: with a link, or the status of a refusal. */
export interface Upgraded {
  readonly status: number
  readonly link: NodeLink | null
}

/** Values to sign a request with in place of the right ones. */
export interface SignedOtherwise {
  readonly method?: string
  readonly aheadSeconds?: number
  readonly nonce?: string
}

/** A scripted node's way to the hub under test. */
export class HubUnderTest {
  readonly origin: string
  readonly profile: Profile
  /** How far network time is ahead of this machine. */
  aheadSeconds = 0

  constructor(origin: string, profile: Profile) {
    this.origin = origin
    this.profile = profile
  }

  now(): number {
    return Math.floor(Date.now() / 1000) + this.aheadSeconds
  }

  headers(seed: string, method: string, target: string, body = '', change: SignedOtherwise = {}) {
    return signRequest(this.profile, seed, {
      method: change.method ?? method,
      target,
      timestamp: this.now() + (change.aheadSeconds ?? 0),
      nonce: change.nonce ?? randomBytes(16).toString('hex'),
      body,
    }).headers
  }

  /** @param seed - Signs the request where it is given. */
  async call(
    method: string,
    target: string,
    body?: object,
    seed?: string,
  ): Promise<{ status: number; json: Answer; headers: Headers }> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const response = await fetch(this.origin + target, {
      method,
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(seed !== undefined && this.headers(seed, method, target, text)),
      },
      ...(body !== undefined && { body: text }),
      signal: AbortSignal.timeout(callMs),
    })
    const json = await response.json().catch(() => null)
    return { status: response.status, json, headers: response.headers }
  }

  async bytes(target: string): Promise<Uint8Array> {
    const response = await fetch(this.origin + target, { signal: AbortSignal.timeout(callMs) })
    return new Uint8Array(await response.arrayBuffer())
  }

  upgrade(
    headers: Readonly<Record<string, string>>,
    protocols: readonly string[] = subprotocolsOf(this.profile),
  ): Promise<Upgraded> {
    const socket = new WebSocket(`${this.origin.replace(/^http/, 'ws')}/v1/relay`, protocols, {
      headers,
      handshakeTimeout: callMs,
      perMessageDeflate: false,
    })
    const link = new NodeLink(socket)
    return new Promise((resolve) => {
      socket.on('open', () => resolve({ status: 101, link }))
      socket.on('error', () => resolve({ status: 0, link: null }))
      socket.on('unexpected-response', (_, response: IncomingMessage) => {
        void readText(response).then(() => resolve({ status: response.statusCode ?? 0, link: null }))
      })
    })
  }

  /** A signed upgrade request of a node. */
  connect(seed: string, ticket?: string, protocols?: readonly string[]): Promise<Upgraded> {
    const shown = ticket === undefined ? {} : { [profileStrings(this.profile).ticket_header]: ticket }
    return this.upgrade({ ...this.headers(seed, 'GET', '/v1/relay'), ...shown }, protocols)
  }
}

/** A socket to the hub under test. */
export class NodeLink {
  readonly #socket: WebSocket
  readonly #texts: string[] = []
  #wake: (() => void) | null = null
  #isOver = false
  /** Resolves with the code that ended it. */
  readonly closed: Promise<number>

  constructor(socket: WebSocket) {
    this.#socket = socket
    const wake = () => this.#wake?.()
    this.closed = new Promise((resolve) =>
      socket.on('close', (code) => {
        this.#isOver = true
        wake()
        resolve(code)
      }),
    )
    socket.on('message', (data) => {
      this.#texts.push(data.toString('utf8'))
      wake()
    })
  }

  /** The subprotocol that the hub took. */
  get protocol(): string {
    return this.#socket.protocol
  }

  send(frame: object | string): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  close(): void {
    this.#socket.close(1000, '')
  }

  /** The next text of the hub; null when none comes. */
  async text(ms = frameMs): Promise<string | null> {
    const until = Date.now() + ms
    while (this.#texts.length === 0 && !this.#isOver && Date.now() < until)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, until - Date.now())
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    return this.#texts.shift() ?? null
  }

  /** The next frame of a type, others are passed over; null when none comes. */
  async next(types: readonly string[], ms = frameMs): Promise<Answer> {
    const until = Date.now() + ms
    for (;;) {
      const text = await this.text(Math.max(0, until - Date.now()))
      if (text === null) return null
      const frame = parsed(text)
      if (types.includes(frame?.type)) return frame
    }
  }

  /** The code with which the hub closes it; 0 when it does not. */
  async closeCode(ms = frameMs): Promise<number> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<number>((resolve) => {
      timer = setTimeout(() => resolve(0), ms)
    })
    return Promise.race([this.closed, late]).finally(() => clearTimeout(timer))
  }
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
