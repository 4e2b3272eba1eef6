import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { CliError } from '../../cli/errors.ts'
import { RunAbandoned } from '../execution/execution-queue.ts'
import type { BindAddress } from '../flags.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { sendAnswer } from './answers.ts'
import { ApiError, unavailable } from './api-error.ts'
import { BodyBudget, checkContentType, type HeldBody, hasBody, readBody } from './body.ts'
import type { Credentials } from './credentials.ts'
import type { Answer, Caller, Route } from './route.ts'
import { createRouter } from './router.ts'
import { readQuery, readTarget } from './target.ts'

const limits = {
  /** Of a request line and all headers together. */
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  /** For a whole request: a caller that sends slower is cut off. */
  requestMs: 60_000,
  idleMs: 5_000,
  checkMs: 2_000,
  connections: 1024,
  /** Connections of one address; programs of this machine, such as a proxy, may have all. */
  connectionsOfAddress: 256,
  /** Bytes of bodies that are held at once. */
  bodyBytes: 64 * 1024 * 1024,
} as const

export interface ServerOptions {
  readonly bind: BindAddress
  readonly routes: readonly Route[]
  readonly credentials: Credentials
  readonly log: Log
  readonly metrics: Metrics
}

export interface RunningServer {
  /** Where it listens. */
  readonly url: string
  /** Takes no more connections, and resolves when those there are have ended. */
  readonly close: () => Promise<void>
  /** Ends every connection. */
  readonly cutOff: () => void
}

/** Starts the HTTP server. @throws {@link CliError} for an address that cannot be listened at. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  let isClosing = false
  const answer = createHandler(options, () => isClosing)
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
  })
  server.maxConnections = limits.connections
  server.on('request', (request, response) => void answer(request, response, () => {}))
  // The body is asked for when it is wanted, so that one that is refused is never sent.
  server.on(
    'checkContinue',
    (request, response) => void answer(request, response, () => response.writeContinue()),
  )
  server.on('clientError', answerBroken)
  boundConnectionsOfAddress(server, options.metrics)
  await listen(server, options.bind)
  // Such as no room for another descriptor; those there are go on.
  server.on('error', (error) => options.log.error('a connection was not taken', { reason: error.message }))
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  return {
    url: urlOf(server.address() as AddressInfo),
    close: () => {
      isClosing = true
      server.close()
      server.closeIdleConnections()
      return closed
    },
    cutOff: () => server.closeAllConnections(),
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse, askForBody: () => void) => Promise<void>

/** What happens to a request, in order. */
function createHandler(
  { routes, credentials, log, metrics }: ServerOptions,
  isClosing: () => boolean,
): Handler {
  const find = createRouter(routes)
  const budget = new BodyBudget(limits.bodyBytes)
  const requests = metrics.counter('http_requests_total', 'Requests by route, method and status', [
    'route',
    'method',
    'status',
  ])

  const handle = async (
    request: IncomingMessage,
    route: Route,
    params: Readonly<Record<string, string>>,
    search: string,
    context: {
      requestId: string
      signal: AbortSignal
      askForBody: () => void
      held: (body: HeldBody) => void
    },
  ): Promise<Answer> => {
    const claim = credentials.readClaim(request, route.access)
    const query = readQuery(search, route.query ?? [])
    const body = await readBodyOf(request, route, budget, context)
    const caller: Caller = credentials.prove(request, claim, body)
    const { requestId, signal } = context
    return route.handle({ method: request.method ?? '', params, query, body, caller, requestId, signal })
  }

  return async (request, response, askForBody) => {
    const requestId = randomUUID()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    request.socket.setTimeout(0)
    let held: HeldBody | undefined
    let routePath = 'none'
    let answer: Answer
    try {
      const { path, search } = readTarget(request.url ?? '')
      const found = find(request.method ?? '', path)
      if (found.status === 'nothing') throw new ApiError('not_found', `There is nothing at ${path}.`)
      if (found.status === 'other_method') throw otherMethod(path, request.method ?? '', found.allowed)
      routePath = found.route.path
      answer = await handle(request, found.route, found.params, search, {
        requestId,
        signal: gone.signal,
        askForBody,
        held: (body) => {
          held = body
        },
      })
    } catch (error) {
      answer = errorAnswer(error, requestId, log)
    }
    if (gone.signal.aborted) return void held?.release()
    requests.add(1, routePath, knownMethod(request.method), String(answer.status))
    log.debug('request answered', { request_id: requestId, route: routePath, status: answer.status })
    try {
      await sendAnswer(request, response, answer, isClosing())
    } catch (error) {
      // The head is sent, so nothing but a broken connection can say that the rest is missing.
      log.error('an answer broke off', { request_id: requestId, route: routePath, reason: String(error) })
      response.destroy()
    } finally {
      held?.release()
    }
  }
}

async function readBodyOf(
  request: IncomingMessage,
  { body }: Route,
  budget: BodyBudget,
  { askForBody, held }: { askForBody: () => void; held: (body: HeldBody) => void },
): Promise<Uint8Array> {
  if (body === undefined) {
    if (hasBody(request)) throw new ApiError('bad_request', 'This call takes no body.')
    return new Uint8Array()
  }
  checkContentType(request, body.contentType)
  if (Number(request.headers['content-length'] ?? 0) <= body.bytesMax) askForBody()
  const read = await readBody(request, body.bytesMax, budget)
  held(read)
  return read.bytes
}

const otherMethod = (path: string, method: string, allowed: readonly string[]): ApiError =>
  new ApiError('bad_request', `${path} does not take ${method}; it takes ${allowed.join(', ')}.`, {
    status: 405,
    headers: { Allow: allowed.join(', ') },
  })

function errorAnswer(error: unknown, requestId: string, log: Log): Answer {
  // Nobody is left to be answered.
  if (error instanceof RunAbandoned) return { status: 503, body: {} }
  const known = error instanceof ApiError ? error : faultOf(error)
  if (known !== error)
    log.error('a request failed', {
      request_id: requestId,
      reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  return { status: known.status, headers: known.headers, body: known.envelope(requestId) }
}

/** A disk that is full or fails, and a database that another program holds: nothing was kept, and nothing was promised. */
function faultOf(error: unknown): ApiError {
  if ((error as { code?: unknown } | null)?.code === 'ERR_SQLITE_ERROR')
    return unavailable('The node cannot use its data directory at the moment. Try again later.', 10)
  return new ApiError('internal', 'The node failed in a way it does not know. Report it with the request_id.')
}

/** A label that callers cannot make up. */
const knownMethod = (method: string | undefined): string =>
  method !== undefined && ['GET', 'HEAD', 'POST', 'PUT'].includes(method) ? method : 'other'

/** What cannot be read as HTTP, or comes too slowly, is answered with the same envelope. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.destroyed || !socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const { status, title, message } = brokenAnswers[error.code ?? ''] ?? brokenAnswers.other!
  const body = JSON.stringify({ error: 'bad_request', message, request_id: randomUUID() })
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

const brokenAnswers: Readonly<Record<string, { status: number; title: string; message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: 'Request Header Fields Too Large',
    message: `The headers are larger than ${limits.headerBytes} bytes.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    title: 'Request Timeout',
    message: `A request must arrive within ${limits.requestMs / 1000} s, its headers within ${limits.headersMs / 1000} s.`,
  },
  other: { status: 400, title: 'Bad Request', message: 'This is no HTTP/1.1 request.' },
}

function boundConnectionsOfAddress(server: Server, metrics: Metrics): void {
  const counts = new Map<string, number>()
  metrics.gauge('http_connections', 'Connections that are open', () =>
    [...counts.values()].reduce((sum, count) => sum + count, 0),
  )
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    })
    if (count > limits.connectionsOfAddress && !isOwnAddress(address)) socket.destroy()
  })
}

const isOwnAddress = (address: string): boolean => /^(?:::1$|(?:::ffff:)?127\.)/.test(address)

function listen(server: Server, { host, port }: BindAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(cannotListen(error, host, port))
    server.once('error', refuse)
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', refuse)
      resolve()
    })
  })
}

function cannotListen({ code, message }: NodeJS.ErrnoException, host: string, port: number): CliError {
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`
  if (code === 'EADDRINUSE')
    return new CliError('port_in_use', `${where} is in use by another program`, {
      hint: 'Stop that program, or choose another port with --bind.',
    })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new CliError('bind', `${where} is no address of this machine`)
  if (code === 'EACCES')
    return new CliError('bind', `${where} may not be listened at by this user; ports below 1024 need rights`)
  return new CliError('bind', `${where} cannot be listened at: ${message}`)
}

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
