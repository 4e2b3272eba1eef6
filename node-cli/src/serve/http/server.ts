import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { CliError } from '../../cli/errors.ts'
import type { BindAddress } from '../flags.ts'
import type { Metrics } from '../metrics.ts'
import { outsideAddress } from './addresses.ts'
import { createHandler, type HandlerOptions } from './handler.ts'

const limits = {
  /** Bytes of a request line and all headers together. */
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  /** For a whole request: a caller that sends slower is cut off. */
  requestMs: 60_000,
  idleMs: 5_000,
  checkMs: 2_000,
  connections: 1024,
  /** Connections of one address, or of one /64 of IPv6; programs of this machine, such as a proxy, may have all. */
  connectionsOfAddress: 256,
} as const

export interface ServerOptions extends HandlerOptions {
  readonly bind: BindAddress
}

export type RunningServer = Awaited<ReturnType<typeof startServer>>

/** Starts the HTTP server. @throws {@link CliError} for an address that cannot be listened at. */
export async function startServer(options: ServerOptions) {
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
  server.on('error', (error) => options.log.error('a connection was not accepted', { reason: error.message }))
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  return {
    url: urlOf(server.address() as AddressInfo),
    /** Takes no more connections, and resolves when those there are have ended. */
    close: (): Promise<void> => {
      isClosing = true
      server.close()
      server.closeIdleConnections()
      return closed
    },
    cutOff: () => server.closeAllConnections(),
  }
}

/** Answers a request that is not valid HTTP, or that comes too slowly, with the same envelope. */
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
  other: { status: 400, title: 'Bad Request', message: 'This is not an HTTP/1.1 request.' },
}

function boundConnectionsOfAddress(server: Server, metrics: Metrics): void {
  const counts = new Map<string, number>()
  metrics.gauge('http_connections', 'Connections that are open', () =>
    [...counts.values()].reduce((sum, count) => sum + count, 0),
  )
  server.on('connection', (socket: Socket) => {
    const outside = outsideAddress(socket)
    const subject = outside ?? ''
    const count = (counts.get(subject) ?? 0) + 1
    counts.set(subject, count)
    socket.once('close', () => {
      const left = (counts.get(subject) ?? 1) - 1
      if (left === 0) counts.delete(subject)
      else counts.set(subject, left)
    })
    if (outside !== null && count > limits.connectionsOfAddress) socket.destroy()
  })
}

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
    return new CliError('bind', `${where} is not an address of this machine`)
  if (code === 'EACCES')
    return new CliError('bind', `this user may not listen at ${where}; ports below 1024 need special rights`)
  return new CliError('bind', `nodectl cannot listen at ${where}: ${message}`)
}

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
