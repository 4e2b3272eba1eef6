import type { IncomingMessage } from 'node:http'
import { ApiError, unavailable } from './api-error.ts'

/**
 * Bytes of bodies that are held at once, of all callers together. A caller that sends slowly holds what it has sent, so a
 * cap for each body does not bound the memory of many.
 */
export class BodyBudget {
  readonly #bytesMax: number
  #held = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** @throws {@link ApiError} 503 `unavailable`, and nothing is taken. */
  take(bytes: number): void {
    if (this.#held + bytes > this.#bytesMax)
      throw unavailable('Too many bodies are being read at the moment. Try again shortly.', 1)
    this.#held += bytes
  }

  release(bytes: number): void {
    this.#held -= bytes
  }
}

/** A body while it is held; whoever had it read releases it once. */
export interface HeldBody {
  readonly bytes: Uint8Array
  readonly release: () => void
}

/** Whether a request has a body, or says it will have one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Reads a body. The cap holds for what is announced, before anything is read, and while reading.
 *
 * @param askForBody Called when the body is wanted.
 * @throws {@link ApiError} 413 `too_large`, 400 `bad_request` for a body that breaks off, 503 `unavailable` while others
 * hold too much.
 */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
  budget: BodyBudget,
  askForBody: () => void,
): Promise<HeldBody> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > bytesMax) throw tooLarge(bytesMax)
  askForBody()
  const chunks: Uint8Array[] = []
  let length = 0
  const release = () => budget.release(length)
  try {
    // The stream is left open when the loop ends early: what is left of the body is dealt with after the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      if (length + chunk.length > bytesMax) throw tooLarge(bytesMax)
      budget.take(chunk.length)
      length += chunk.length
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks, length), release }
  } catch (error) {
    release()
    if (error instanceof ApiError) throw error
    throw new ApiError('bad_request', 'The body broke off before its end. Send the request again.')
  }
}

const tooLarge = (bytesMax: number): ApiError =>
  new ApiError('too_large', `The body is larger than ${bytesMax} bytes.`)

/** @throws {@link ApiError} 400 `bad_request` for another type, 415 for a compressed body. */
export function checkContentType({ headers }: IncomingMessage, expected: string): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity')
    throw new ApiError('bad_request', `Send the body as it is, without Content-Encoding ${encoding}.`, {
      status: 415,
      headers: { 'Accept-Encoding': 'identity' },
    })
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim())
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))
  if (type.toLowerCase() !== expected)
    throw new ApiError(
      'bad_request',
      `The Content-Type must be ${expected}${type === '' ? '; it is missing' : `, not ${type}`}.`,
    )
  if (charset !== undefined && !/^charset="?utf-8"?$/i.test(charset))
    throw new ApiError('bad_request', `The Content-Type must be ${expected} in UTF-8, not ${charset}.`)
}
