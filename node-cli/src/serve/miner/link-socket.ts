import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { isObject } from '../../../../protocol/encoding/index.ts'
import { pingSecs, pingText, pongText } from '../../../../protocol/link/index.ts'

/** How long the other side may be silent, in seconds. */
export interface SocketPatience {
  /** For the answer to the upgrade request. */
  readonly upgrade: number
  /** From there to its hello. */
  readonly hello: number
  /** From one ping to the next. */
  readonly ping: number
  /** From a ping to its pong. */
  readonly pong: number
}

export const socketPatience: SocketPatience = { upgrade: 10, hello: 10, ping: pingSecs, pong: 10 }

const closeMs = 2000

/** How a socket came to its end. */
export type SocketEnd =
  /** It was open, and was closed with a code; 1006 when nobody said why. */
  | { readonly kind: 'closed'; readonly code: number; readonly message: string }
  /** It never opened: the hub answered the upgrade request with an error. */
  | { readonly kind: 'refused'; readonly status: number; readonly refusal: Refusal }
  /** It never opened: nobody answered. */
  | { readonly kind: 'unreachable'; readonly message: string }

/** The answer of the hub to a refused upgrade request, besides the status. */
export interface Refusal {
  readonly message: string
  /** `details.reason`. */
  readonly reason: string | null
  readonly retryAfterSeconds: number | null
}

export interface SocketOptions {
  readonly url: string
  readonly protocols: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** A longer frame ends the socket before it is held whole. */
  readonly frameBytesMax: number
  readonly patience: SocketPatience
  readonly opened: () => void
  readonly heard: (text: string) => void
  /** Told with each pong, how long it took. */
  readonly measured: (latencyMs: number) => void
  /** Told once. */
  readonly ended: (end: SocketEnd) => void
}

export type LinkSocket = ReturnType<typeof openLinkSocket>

/** Opens a socket. It follows no redirect, takes no compressed frames, and ends by itself when the other side is gone. */
export function openLinkSocket(options: SocketOptions) {
  const { url, protocols, headers, frameBytesMax, patience, opened, heard, measured } = options
  const socket = new WebSocket(url, [...protocols], {
    headers,
    handshakeTimeout: 1000 * patience.upgrade,
    closeTimeout: closeMs,
    maxPayload: frameBytesMax,
    perMessageDeflate: false,
  })
  let failure = ''
  let isOver = false
  const end = (how: SocketEnd): void => {
    if (isOver) return
    isOver = true
    options.ended(how)
  }
  const pulse = keepAlive(socket, patience, measured)

  socket.on('open', () => {
    pulse.start()
    opened()
  })
  socket.on('message', (data, isBinary) => {
    if (isBinary) return socket.close(1003, 'frames are texts')
    const text = data.toString('utf8')
    if (text === pongText) pulse.pong()
    else heard(text)
  })
  socket.on('unexpected-response', (_, response) => {
    void readRefusal(response).then((refusal) => {
      end({ kind: 'refused', status: response.statusCode ?? 0, refusal })
      socket.terminate()
    })
  })
  // The error event comes before the close event.
  socket.on('error', (error) => {
    failure = error.message
  })
  socket.on('close', (code, reason) => {
    pulse.stop()
    const message = reason.toString('utf8') || failure
    const wasOpen = pulse.hasStarted()
    end(wasOpen ? { kind: 'closed', code, message } : { kind: 'unreachable', message })
  })
  return {
    /** Sends a text; false when the socket is not open, so that it went nowhere. */
    send: (text: string): boolean => {
      if (socket.readyState !== WebSocket.OPEN) return false
      socket.send(text)
      return true
    },
    close: (code: number, reason: string) => socket.close(code, reason),
  }
}

/**
 * Pings, and ends a socket whose other side does not answer. The pings are frames: the hub counts on them, and those of the
 * WebSocket itself it never sees. The timers keep no process alive.
 */
function keepAlive(socket: WebSocket, patience: SocketPatience, measured: SocketOptions['measured']) {
  let next: NodeJS.Timeout | undefined
  let hasStarted = false
  let sentAt: number | null = null
  const ping = (): void => {
    sentAt = performance.now()
    if (socket.readyState === WebSocket.OPEN) socket.send(pingText)
    next = setTimeout(() => socket.terminate(), 1000 * patience.pong).unref()
  }
  return {
    start: () => {
      hasStarted = true
      ping()
    },
    pong: () => {
      if (sentAt === null) return
      clearTimeout(next)
      measured(Math.round(performance.now() - sentAt))
      sentAt = null
      next = setTimeout(ping, 1000 * patience.ping).unref()
    },
    stop: () => clearTimeout(next),
    hasStarted: () => hasStarted,
  }
}

const refusalBytesMax = 16 * 1024

/** Reads the error that a hub answers; whatever else comes is no more than its status. */
async function readRefusal(response: IncomingMessage): Promise<Refusal> {
  const retryAfter = Number(response.headers['retry-after'] ?? Number.NaN)
  const body = await readJson(response)
  const details = isObject(body) && isObject(body.details) ? body.details : {}
  return {
    message: isObject(body) && typeof body.message === 'string' ? body.message : 'without a reason',
    reason: typeof details.reason === 'string' ? details.reason : null,
    retryAfterSeconds: retryAfter >= 0 ? retryAfter : null,
  }
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk
      if (text.length > refusalBytesMax) return null
    }
    return JSON.parse(text)
  } catch {
    return null
  }
}
