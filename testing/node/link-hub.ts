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
import { verifyNatively } from '../../node-cli/src/node-verifier.ts'
import {
  defaultNetworkParams,
  hashNetworkParams,
  readRequestSignature,
  resolveProfile,
  verifyRequestSignature,
} from '../../protocol/identity/index.ts'
import {
  agreedVersion,
  type HelloFrame,
  type HubFrame,
  parseNodeFrame,
  pingText,
  pongText,
  type ReadNodeFrame,
  writeHubFrame,
} from '../../protocol/link/index.ts'
import { createGenerations, type TestGenerations, validatorSeeds } from './generations.ts'
import { unixNow, usualAnswer } from './hub-answers.ts'

const profile = resolveProfile()

export type HubAnswer = (request: IncomingMessage, response: ServerResponse, body: string) => void

type FrameOf<Type extends ReadNodeFrame['type']> = Extract<ReadNodeFrame, { type: Type }>

/** One connection of a node. */
export type HubSocket = ReturnType<typeof listen>

/** A hub of tests: real HTTP, real WebSockets, and whatever a test has it say. */
export interface LinkHub {
  readonly origin: string
  /** Answers that replace those of the hub, by method and path. */
  readonly answers: Map<string, HubAnswer>
  /** Every request, as method and target. */
  readonly requests: string[]
  /** Bodies of the device profiles that came. */
  readonly profiles: { readonly benchmark?: unknown }[]
  /** The next connection that nobody has asked for, after hello was sent. */
  readonly connection: () => Promise<HubSocket>
  /** Says hello, on sockets to come. */
  hello: (() => HelloFrame) | null
  /** Whether pings are answered, on sockets to come. */
  answersPings: boolean
  /** Refuses upgrade requests with this answer. */
  refusal: { readonly status: number; readonly body: object } | null
  /** Generation 0 is the validators that attest the sets of a miner's project. */
  readonly generations: TestGenerations
  /** Ends every connection, and listens no more. */
  readonly stop: () => Promise<void>
}

export const helloFrame = (change: Partial<HelloFrame> = {}): HelloFrame => ({
  type: 'hello',
  session_id: randomBytes(16).toString('hex'),
  time: unixNow(),
  params_hash: hashNetworkParams(defaultNetworkParams),
  ...change,
})

export const json =
  (value: unknown, status = 200): HubAnswer =>
  (_, response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))

export const bytes =
  (value: Uint8Array): HubAnswer =>
  (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(value)

export async function startLinkHub(port = 0): Promise<LinkHub> {
  const connections = createQueue<HubSocket>()
  const server = createServer()
  const open = new Set<Duplex>()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const hub: LinkHub = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    answers: new Map(),
    requests: [],
    profiles: [],
    connection: connections.next,
    hello: helloFrame,
    answersPings: true,
    refusal: null,
    generations: createGenerations(() => 'https://validator.example'),
    stop: () => stopServer(server, open),
  }
  hub.generations.add(validatorSeeds)
  server.on('request', async (request, response) => {
    const { method, url = '' } = request
    hub.requests.push(`${method} ${url}`)
    const body = await readText(request)
    const answer = hub.answers.get(`${method} ${url}`) ?? otherAnswer(hub, method, url)
    answer(request, response, body)
  })
  server.on('upgrade', (request) => hub.requests.push(`UPGRADE ${request.url}`))
  takeLinks(server, hub, open, connections.put)
  return hub
}

/** Takes the links of nodes on a server. @param put - Is given each, after hello was sent. */
function takeLinks(
  server: Server,
  hub: Pick<LinkHub, 'hello' | 'answersPings' | 'refusal'>,
  open: Set<Duplex>,
  put: (socket: HubSocket) => void,
): void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  server.on('upgrade', (request, socket, head) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // A node that is killed resets it.
    socket.on('error', () => {})
    const refusal = refusalOf(request) ?? hub.refusal
    if (refusal !== null) {
      const text = JSON.stringify(refusal.body)
      const lines = [
        `HTTP/1.1 ${refusal.status} Refused`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(text)}`,
        'Connection: close',
      ]
      return void socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`)
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const connection = listen(opened, request.headers, hub.answersPings)
      if (hub.hello !== null) connection.send(hub.hello())
      put(connection)
    })
  })
}

/** Links that a hub takes as it should. @returns The next one that nobody has asked for. */
export function takeUsualLinks(server: Server): () => Promise<HubSocket> {
  const open = new Set<Duplex>()
  const connections = createQueue<HubSocket>()
  takeLinks(server, { hello: helloFrame, answersPings: true, refusal: null }, open, connections.put)
  server.on('close', () => {
    for (const socket of open) socket.destroy()
  })
  return connections.next
}

/** The upgrade request is signed by a node of this network, and asks for the subprotocol. */
function refusalOf(request: IncomingMessage): LinkHub['refusal'] {
  const header = (name: string) => request.headers[name.toLowerCase()] as string | undefined
  const signature = readRequestSignature(profile, header, unixNow(), defaultNetworkParams.max_skew)
  const received = { method: 'GET', target: request.url ?? '', body: '' }
  if (signature === null || !verifyRequestSignature(profile, received, signature, verifyNatively))
    return { status: 401, body: { error: 'bad_signature', message: 'The signature does not verify.' } }
  if (request.url !== '/v1/relay' || agreedVersion(profile, header('sec-websocket-protocol') ?? '') === null)
    return { status: 426, body: { error: 'bad_request', message: 'No link is here.' } }
  return null
}

function otherAnswer(hub: LinkHub, method: string | undefined, url: string): HubAnswer {
  if (url.startsWith('/v1/validators')) return hub.generations.answer
  if (method === 'PUT' && url.endsWith('/profile'))
    return (request, response, body) => {
      hub.profiles.push(JSON.parse(body))
      json({})(request, response, body)
    }
  return (request, response, body) => {
    const usual = usualAnswer(request, 'miner')
    const missing = { error: 'not_found', message: 'The resource does not exist.' }
    json(usual ?? missing, usual === undefined ? 404 : 200)(request, response, body)
  }
}

function listen(socket: WebSocket, headers: IncomingHttpHeaders, answersPings: boolean) {
  const frames = createQueue<ReadNodeFrame>()
  const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)))
  socket.on('message', (data) => {
    const text = data.toString('utf8')
    if (text !== pingText) frames.put(parseNodeFrame(text, defaultNetworkParams))
    else if (answersPings) socket.send(pongText)
  })
  socket.on('error', () => {})
  return {
    /** Headers of the upgrade request. */
    headers,
    /** The next frame of a type; what else comes first is skipped. */
    next: async <Type extends ReadNodeFrame['type']>(type: Type): Promise<FrameOf<Type>> => {
      for (;;) {
        const frame = await frames.next()
        if (frame.type === type) return frame as FrameOf<Type>
      }
    },
    /** Frames that nobody has asked for. */
    unread: () => frames.left(),
    send: (frame: HubFrame) => socket.send(writeHubFrame(frame, defaultNetworkParams)),
    /** Sends a text as it is. */
    sendText: (text: string | Uint8Array) => socket.send(text),
    close: (code: number, reason?: string) => socket.close(code, reason),
    cut: () => socket.terminate(),
    /** The code with which it was closed. */
    closed,
  }
}

async function stopServer(server: Server, open: ReadonlySet<Duplex>): Promise<void> {
  if (!server.listening) return
  const stopped = new Promise((resolve) => server.close(resolve))
  for (const socket of open) socket.destroy()
  server.closeAllConnections()
  await stopped
}

/** Keeps values until a caller asks for them. */
function createQueue<T>() {
  const waiting: ((value: T) => void)[] = []
  const kept: T[] = []
  return {
    put: (value: T): void => {
      const next = waiting.shift()
      if (next === undefined) kept.push(value)
      else next(value)
    },
    next: (): Promise<T> => {
      const value = kept.shift()
      return value === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(value)
    },
    left: (): readonly T[] => kept,
  }
}
