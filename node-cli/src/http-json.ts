import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'

const json = 'application/json'

/** A request to a server. */
export interface JsonRequest {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text; if left out, the request has no body. */
  readonly body?: string
  /** Until the whole answer is there. */
  readonly timeoutSeconds: number
  readonly answerBytesMax: number
  /** Ends the request. */
  readonly stop?: AbortSignal | undefined
}

/** By name, in any case; null for one that is not there. */
export interface AnswerHeaders {
  readonly get: (name: string) => string | null
}

export interface JsonAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** Undefined for an answer that is not JSON. */
  readonly value: unknown
}

/** The server did not answer; the message says why. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** An answer of more bytes than any well-meaning server would send. */
export class OversizedAnswer extends Error {
  override readonly name = 'OversizedAnswer'
}

export interface BytesAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** As declared, without parameters; empty if the answer declares none. */
  readonly type: string
  /** Undefined for an answer of another type than the requested one. */
  readonly bytes: Uint8Array | undefined
}

/**
 * Asks a server for JSON. Redirects are answers like any other, and a body that is not declared as JSON is not read.
 *
 * @throws {@link NoAnswer}, {@link OversizedAnswer}
 */
export async function requestJson(url: string, request: JsonRequest): Promise<JsonAnswer> {
  const answer = await requestBytes(url, json, request)
  return { status: answer.status, headers: answer.headers, value: jsonOf(answer) }
}

/** The JSON of an answer; undefined if it is declared as another type or is not JSON. */
export function jsonOf({ type, bytes }: BytesAnswer): unknown {
  if (type !== json || bytes === undefined) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/**
 * Asks a server for bytes. Redirects are answers like any other, and a body that is declared as another type is not read.
 *
 * It does not call `fetch`, which makes a node load and keep a second HTTP client: 15 MiB.
 *
 * @param type null for any.
 * @throws {@link NoAnswer}, {@link OversizedAnswer}
 */
export async function requestBytes(
  url: string,
  type: string | null,
  request: JsonRequest,
): Promise<BytesAnswer> {
  const { timeoutSeconds, answerBytesMax, stop } = request
  const timeout = AbortSignal.timeout(1000 * timeoutSeconds)
  const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop])
  try {
    const response = await send(url, type, request, signal)
    const [declared = ''] = (response.headers['content-type'] ?? '').toLowerCase().split(';')
    const answered = { status: response.statusCode ?? 0, headers: headersOf(response), type: declared.trim() }
    if (type === null || answered.type === type)
      return { ...answered, bytes: await readBytes(response, answerBytesMax) }
    response.destroy()
    return { ...answered, bytes: undefined }
  } catch (error) {
    if (error instanceof OversizedAnswer) throw error
    throw new NoAnswer(timeout.aborted ? `no data arrived within ${timeoutSeconds} s` : reasonOf(error))
  }
}

/** Resolves with the head of the answer. */
async function send(
  url: string,
  type: string | null,
  { method = 'GET', headers, body }: JsonRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // TLS is not loaded for a hub of this machine.
  const { default: client } = url.startsWith('https:')
    ? await import('node:https')
    : await import('node:http')
  return new Promise((resolve, reject) => {
    const sent = client.request(url, {
      method,
      signal,
      headers: {
        'Accept-Encoding': 'gzip',
        ...(type !== null && { Accept: type }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
    })
    sent.on('response', resolve)
    sent.on('error', reject)
    // Node ends the request without an error if the server changes to another protocol (101).
    sent.on('close', () => reject(new Error('the server ended the connection without an answer')))
    sent.end(body)
  })
}

const headersOf = ({ headers }: IncomingMessage): AnswerHeaders => ({
  get: (name) => {
    const value = headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(', ') : (value ?? null)
  },
})

async function readBytes(response: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop ends the transfer.
  for await (const chunk of await unpacked(response)) {
    length += chunk.length
    if (length > bytesMax) throw new OversizedAnswer(`more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function unpacked(response: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  if (response.headers['content-encoding'] !== 'gzip') return response
  const { default: zlib } = await import('node:zlib')
  // The reader of the stream gets its errors, so the callback ignores them.
  return pipeline(response, zlib.createGunzip(), () => {})
}

/** If a name has several addresses, their errors come as one error without a message. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'the connection is refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name is not known'
  if (code?.startsWith('ERR_SSL') || code === 'EPROTO')
    return 'the server does not speak TLS, so its address begins with http:'
  return message || String(code)
}
