import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody } from './body.ts'
import type { Answer, Pieces } from './route.ts'

/** A caller that reads nothing of its answer for this time, or for up to twice as long, is cut off. */
const stallMs = 15_000
/** Bytes of an unwanted body that are read and dropped, so that its sender sees the answer instead of a broken connection. */
const drainBytesMax = 32 * 1024 * 1024
const drainMs = 3_000

const commonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** Writes an answer, as fast as its caller reads it. @param isLast Whether the connection takes no further request. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  isLast: boolean,
): Promise<void> {
  const pieces = piecesOf(answer)
  const length = Array.isArray(pieces) ? pieces.reduce((sum, piece) => sum + piece.length, 0) : answer.length
  const isUnread = hasBody(request) && !request.complete
  response.writeHead(answer.status, {
    ...commonHeaders,
    'Content-Type': answer.contentType ?? 'application/json; charset=utf-8',
    ...(length !== undefined && { 'Content-Length': length }),
    ...((isUnread || isLast) && { Connection: 'close' }),
    ...answer.headers,
  })
  request.socket.setTimeout(stallMs)
  if (request.method === 'HEAD') response.flushHeaders()
  else await writePieces(response, pieces)
  if (isUnread) await drain(request)
  response.end()
}

function piecesOf({ body }: Answer): Buffer[] | Pieces {
  if (body instanceof Uint8Array) return [Buffer.from(body.buffer, body.byteOffset, body.byteLength)]
  if (Symbol.asyncIterator in body || Symbol.iterator in body) return body
  return [Buffer.from(JSON.stringify(body))]
}

async function writePieces(response: ServerResponse, pieces: Pieces): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return
    if (piece.length > 0 && !response.write(piece)) await untilRead(response)
  }
}

/** Waits until a caller has read what was written, or is gone. */
async function untilRead(response: ServerResponse): Promise<void> {
  // Takes away the listeners of the event that did not come.
  const over = new AbortController()
  const options = { signal: over.signal }
  await Promise.race([once(response, 'drain', options), once(response, 'close', options)]).finally(() =>
    over.abort(),
  )
}

/** Reads the rest of a body and drops it, within the limits above. */
async function drain(request: IncomingMessage): Promise<void> {
  let left = drainBytesMax
  const done = Promise.withResolvers<void>()
  const clock = setTimeout(done.resolve, drainMs)
  request.on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) done.resolve()
  })
  request.once('close', done.resolve)
  request.once('end', done.resolve)
  request.resume()
  await done.promise
  clearTimeout(clock)
  request.pause()
}
