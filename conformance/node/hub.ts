import { randomBytes } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { hashNetworkParams, type Profile, profileStrings } from '../../protocol/identity/index.ts'
import {
  agreedVersion,
  FrameError,
  type HelloFrame,
  type HubFrame,
  parseNodeFrame,
  pingText,
  pongText,
  type ReadNodeFrame,
  writeHubFrame,
} from '../../protocol/link/index.ts'
import type { Findings } from '../findings.ts'
import { requestJudge } from './judge-request.ts'
import { params, unixNow, usualAnswers } from './network.ts'

/** How long the hub waits for the node before it gives up. */
export interface Patience {
  /** For an answer of the node, or its next connection, in milliseconds. */
  readonly answerMs: number
  /** To see that no frame comes, in milliseconds; {@link answersPerSilence} times the longest wait for an answer is added. */
  readonly silenceMs: number
}

export interface ScriptedHubOptions {
  readonly profile: Profile
  readonly nodeKey: string
  readonly patience: Patience
  readonly port?: number
  /** Reads a text that stands for a frame which a fault took away, and gives its offer, so that nobody waits for it. */
  readonly readMissing?: (text: string) => string | null
  /** False for a hub that refuses sockets, and calls its validators by HTTP. */
  readonly hasLinks?: boolean
  /** The origin at which the node reaches the hub, if a proxy stands between the two. */
  readonly nodeOrigin?: string
}

interface MissingFrame {
  readonly type: 'missing'
  readonly offer_id: string
}

/** To see that a forbidden frame does not come, the hub also waits this many times as long as the node's slowest answer took. */
const answersPerSilence = 5

type FrameOf<Type extends ReadNodeFrame['type']> = Extract<ReadNodeFrame, { type: Type }>

/** A hub that says what its script has it say, and judges every request and every frame that comes. */
export class ScriptedHub {
  readonly #options: ScriptedHubOptions
  readonly #server: Server
  readonly #open = new Set<Duplex>()
  readonly #connections = new Waiting<HubLink>()
  readonly #judge: (findings: Findings, call: Parameters<ReturnType<typeof requestJudge>>[1]) => void
  /** By method and path. */
  readonly #answers = new Map<string, () => object>()
  readonly requests: string[] = []
  /** Collects the results for the clauses. */
  findings: Findings
  /** The hello of sockets to come. */
  hello: Partial<HelloFrame> = {}
  /** Told of each frame of sockets to come that could be read, before anybody who waits for it. */
  heard: Heard = () => {}
  #slowestAnswerMs = 0

  private constructor(options: ScriptedHubOptions, server: Server, findings: Findings) {
    this.#options = options
    this.#server = server
    this.findings = findings
    this.#judge = requestJudge(options.profile, options.nodeKey)
    this.publish(usualAnswers(options.profile, this.nodeOrigin))
    server.on('request', (request, response) => void this.#answer(request, response))
    if (options.hasLinks !== false) this.#takeLinks()
  }

  static async start(options: ScriptedHubOptions, findings: Findings): Promise<ScriptedHub> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
    return new ScriptedHub(options, server, findings)
  }

  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  /** The origin at which the node reaches the hub. */
  get nodeOrigin(): string {
    return this.#options.nodeOrigin ?? this.origin
  }

  /** Has the hub answer these from now on, by method and path. */
  publish(answers: Readonly<Record<string, object>>): void {
    for (const [target, answer] of Object.entries(answers))
      this.#answers.set(target, typeof answer === 'function' ? (answer as () => object) : () => answer)
  }

  /** The next open connection that nobody has asked for, after hello; null when none comes in time. */
  connection(ms = this.#options.patience.answerMs): Promise<HubLink | null> {
    return this.#connections.next(({ isOpen }) => isOpen, ms)
  }

  /** How long a node is given to say what it must not say; longer for one that answers slowly. */
  get silenceMs(): number {
    return this.#options.patience.silenceMs + answersPerSilence * this.#slowestAnswerMs
  }

  /** The wait for a connection is over, without one. */
  passOver(): void {
    this.#connections.put(null)
  }

  /** Forgets connections that nobody has asked for. */
  forgetConnections(): void {
    this.#connections.clear()
  }

  async stop(): Promise<void> {
    const stopped = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#open) socket.destroy()
    this.#server.closeAllConnections()
    await stopped
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '', headers } = request
    const body = await readText(request)
    this.requests.push(`${method} ${url}`)
    const path = url.replace(/\?.*/, '')
    const isSigned =
      headers[profileStrings(this.#options.profile).signature_header.toLowerCase()] !== undefined
    if (isSigned || method !== 'GET') this.#judge(this.findings, { method, target: url, headers, body })
    const isProfile = method === 'PUT' && path.endsWith('/profile')
    const answer = isProfile ? {} : this.#answers.get(`${method} ${path}`)?.()
    if (answer === undefined)
      return send(response, 404, {
        error: 'not_found',
        message: 'The resource does not exist.',
        details: {},
        request_id: 'scripted',
      })
    send(response, 200, answer)
  }

  #takeLinks(): void {
    const { profile } = this.#options
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
    this.#server.on('upgrade', (request, socket, head) => {
      this.#open.add(socket)
      socket.on('close', () => this.#open.delete(socket))
      const { url = '', headers } = request
      this.requests.push(`UPGRADE ${url}`)
      const call = { method: 'GET', target: url, headers, body: '' }
      this.#judge(this.findings, call)
      const offered = headers['sec-websocket-protocol'] ?? ''
      const isKnown = url === '/v1/relay' && agreedVersion(profile, offered) !== null
      this.findings.require(
        'N1.5',
        isKnown,
        `the upgrade request for ${url} offers ${JSON.stringify(offered)}`,
      )
      // It goes on with a node that breaks a clause, to see the others.
      sockets.handleUpgrade(request, socket, head, (opened) => {
        const hello: HelloFrame = {
          type: 'hello',
          session_id: randomBytes(16).toString('hex'),
          time: unixNow(),
          params_hash: hashNetworkParams(params),
          frames: [4, 3, 2, 1],
          retry_after: 1,
          ...this.hello,
        }
        const link = new HubLink({
          ...{ socket: opened, headers, hello, findings: this.findings, heard: this.heard },
          options: this.#options,
          waited: (ms) => {
            this.#slowestAnswerMs = Math.max(this.#slowestAnswerMs, ms)
          },
        })
        link.send(hello)
        this.#connections.put(link)
      })
    })
  }
}

function send(response: ServerResponse, status: number, answer: object): void {
  const isBytes = answer instanceof Uint8Array
  const type = isBytes ? 'application/octet-stream' : 'application/json'
  response.writeHead(status, { 'Content-Type': type }).end(isBytes ? answer : JSON.stringify(answer))
}

type Heard = (link: HubLink, frame: ReadNodeFrame) => void

interface HubLinkParts {
  readonly socket: WebSocket
  /** Headers of the upgrade request. */
  readonly headers: IncomingHttpHeaders
  /** The first frame of the hub. */
  readonly hello: HelloFrame
  readonly findings: Findings
  readonly heard: Heard
  readonly options: ScriptedHubOptions
  /** Told how long each frame was waited for, in milliseconds. */
  readonly waited: (ms: number) => void
}

/** One socket of the node under test. */
export class HubLink {
  readonly #parts: HubLinkParts
  readonly #frames = new Waiting<ReadNodeFrame | MissingFrame>()
  /** Resolves with the code that ended it. */
  readonly closed: Promise<number>
  #isOpen = true
  #hasSpoken = false

  constructor(parts: HubLinkParts) {
    this.#parts = parts
    const { socket, options } = parts
    this.closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)))
    void this.closed.then(() => {
      this.#isOpen = false
      this.#frames.end()
    })
    socket.on('error', () => {})
    socket.on('message', (data, isBinary) => {
      const text = data.toString('utf8')
      const missing = options.readMissing?.(text) ?? null
      if (missing !== null) this.#frames.put({ type: 'missing', offer_id: missing })
      else if (text === pingText) socket.send(pongText)
      else this.#hear(text, isBinary)
    })
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get headers(): IncomingHttpHeaders {
    return this.#parts.headers
  }

  /** Whether the frames that its hello names have the error of a failed run. */
  get takesErrors(): boolean {
    return this.#parts.hello.frames?.includes(4) ?? false
  }

  #hear(text: string, isBinary: boolean): void {
    const { findings } = this.#parts
    const shown = text.slice(0, 120)
    try {
      const frame = parseNodeFrame(text, params)
      for (const number of ['N2.1', 'N2.2', 'N2.3'])
        findings.require(
          number,
          !(isBinary && number === 'N2.1'),
          `${shown}: the frame is not a text message`,
        )
      this.#take(frame, shown)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      const number = { bad_request: 'N2.1', invalid_field: 'N2.2', too_large: 'N2.3' }[error.code]
      findings.note(number, `${shown}: ${error.message}`)
      // The frame is handled as it was meant, so that the other clauses are checked too.
      const frame = meantFrame(text)
      if (frame !== null) this.#take(frame, shown)
    }
  }

  #take(frame: ReadNodeFrame, shown: string): void {
    if (!this.#hasSpoken)
      this.#parts.findings.require('N1.6', frame.type === 'ready', `the first frame is ${shown}`)
    this.#hasSpoken = true
    this.#parts.heard(this, frame)
    this.#frames.put(frame)
  }

  /** The next frame of a type that nobody has taken and that fits; null when none comes. */
  async next<Type extends ReadNodeFrame['type']>(
    types: readonly Type[],
    fits: (frame: FrameOf<Type>) => boolean = () => true,
    ms = this.#parts.options.patience.answerMs,
  ): Promise<FrameOf<Type> | null> {
    const isWanted = (frame: ReadNodeFrame | MissingFrame) =>
      (types as readonly string[]).concat('missing').includes(frame.type) && fits(frame as FrameOf<Type>)
    const since = performance.now()
    const frame = await this.#frames.next(isWanted, ms)
    if (frame !== null) this.#parts.waited(performance.now() - since)
    return frame?.type === 'missing' ? null : (frame as FrameOf<Type> | null)
  }

  send(frame: HubFrame): void {
    this.#parts.socket.send(writeHubFrame(frame, params))
  }

  /** Sends a text as it is. */
  sendText(text: string): void {
    this.#parts.socket.send(text)
  }

  close(code: number): void {
    this.#parts.socket.close(code, '')
  }

  /** Ends it as a broken line does. */
  cut(): void {
    this.#parts.socket.terminate()
  }
}

/** A frame that breaks a rule, read as well as it can be. */
function meantFrame(text: string): ReadNodeFrame | null {
  try {
    const { type, offer_id: id, ...others } = JSON.parse(text) as Record<string, unknown>
    const isKnown = ['ready', 'accept', 'decline', 'vote'].includes(String(type))
    return isKnown && (type === 'ready' || typeof id === 'string')
      ? ({
          slots: 0,
          holding: [],
          vote: {},
          output_b64: '',
          events: [],
          ...others,
          type,
          offer_id: id,
        } as unknown as ReadNodeFrame)
      : null
  } catch {
    return null
  }
}

/** Values that came and were not taken yet, in order of arrival. Null stands for a value that does not come. */
class Waiting<T> {
  #kept: (T | null)[] = []
  #wanted: { readonly fits: (value: T) => boolean; readonly give: (value: T | null) => void } | null = null
  #isOver = false

  put(value: T | null): void {
    const wanted = this.#wanted
    if (wanted === null || !(value === null || wanted.fits(value))) this.#kept.push(value)
    else wanted.give(value)
  }

  /** Nothing more comes. */
  end(): void {
    this.#isOver = true
    this.#wanted?.give(null)
  }

  clear(): void {
    this.#kept = []
  }

  /** Takes the next that fits. One caller waits at a time. */
  next(fits: (value: T) => boolean, ms: number): Promise<T | null> {
    const at = this.#kept.findIndex((value) => value === null || fits(value))
    if (at >= 0) return Promise.resolve(this.#kept.splice(at, 1)[0]!)
    if (this.#isOver) return Promise.resolve(null)
    return new Promise((resolve) => {
      const timer = setTimeout(() => give(null), ms)
      const give = (value: T | null): void => {
        clearTimeout(timer)
        this.#wanted = null
        resolve(value)
      }
      this.#wanted = { fits, give }
    })
  }
}
