import type { IncomingMessage } from 'node:http'
import { ApiError, unavailable } from './api-error.ts'

/** Limits of a body before the signature over it is checked: anyone can name a key that the node knows. */
const unproven = {
  bytesOfAddress: 24 * 1024 * 1024,
  /** In each `paceMs`, `paceBytes` of the body must arrive, or all that is left of it. */
  paceBytes: 16 * 1024,
  paceMs: 5_000,
} as const

export interface BodyShare {
  /** Whether its caller needed no proof when it was opened. */
  readonly isTrusted: boolean
  /** @throws {@link ApiError} 503 `unavailable`, and nothing is taken. */
  readonly take: (bytes: number) => void
  /** Its caller is proven, and its address free to send others. */
  readonly prove: () => void
  /** Gives everything back; it may be called more than once. */
  readonly release: () => void
}

/**
 * Bytes of bodies that are held at once, of all callers together. A caller that sends slowly holds what it has sent, so a
 * cap for each body does not bound the memory of many. One address has a part of it until its callers are proven.
 */
export class BodyBudget {
  readonly #bytesMax: number
  readonly #unproven = new Map<string, number>()
  #held = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** @param address - The address of a caller that is not proven; null for a caller that needs no proof. */
  open(address: string | null): BodyShare {
    let held = 0
    let unprovenOf = address
    const prove = (): void => {
      if (unprovenOf !== null) this.#count(unprovenOf, -held)
      unprovenOf = null
    }
    return {
      isTrusted: address === null,
      take: (bytes) => {
        const ofAddress = unprovenOf === null ? 0 : (this.#unproven.get(unprovenOf) ?? 0)
        if (this.#held + bytes > this.#bytesMax || ofAddress + bytes > unproven.bytesOfAddress)
          throw unavailable('Too many bodies are being read at the moment. Try again shortly.', 1)
        this.#held += bytes
        held += bytes
        if (unprovenOf !== null) this.#count(unprovenOf, bytes)
      },
      prove,
      release: () => {
        prove()
        this.#held -= held
        held = 0
      },
    }
  }

  #count(address: string, bytes: number): void {
    const sum = (this.#unproven.get(address) ?? 0) + bytes
    if (sum === 0) this.#unproven.delete(address)
    else this.#unproven.set(address, sum)
  }
}

/** Whether a request has a body, or says it will have one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Reads a body, which its share holds until that is released. The cap applies to the announced length, before anything is
 * read, and to the bytes that arrive.
 *
 * @param askForBody Called when the body is wanted.
 * @throws {@link ApiError} 413 `too_large`, 400 `bad_request` for a body that breaks off, 408 for one that comes too slowly,
 * 503 `unavailable` while others hold too much.
 */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
  share: BodyShare,
  askForBody: () => void,
): Promise<Uint8Array> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > bytesMax) throw tooLarge(bytesMax)
  askForBody()
  const chunks: Uint8Array[] = []
  let length = 0
  const pace = watchPace(() => length, share.isTrusted)
  // The stream is left open when reading ends early: what is left of the body is dealt with after the answer.
  const source = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>
  try {
    for (;;) {
      const { done, value } = await Promise.race([source.next(), pace.tooSlow])
      if (done) return Buffer.concat(chunks, length)
      if (length + value.length > bytesMax) throw tooLarge(bytesMax)
      share.take(value.length)
      length += value.length
      chunks.push(value)
    }
  } catch (error) {
    share.release()
    if (error instanceof ApiError) throw error
    throw new ApiError('bad_request', 'The body broke off before its end. Send the request again.')
  } finally {
    pace.stop()
  }
}

/** Fails when a body arrives too slowly, unless its caller is trusted. */
function watchPace(length: () => number, isTrusted: boolean): { tooSlow: Promise<never>; stop: () => void } {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>()
  // It may fail when nobody waits for it.
  tooSlow.catch(() => {})
  if (isTrusted) return { tooSlow, stop: () => {} }
  let before = 0
  const timer = setInterval(() => {
    if (length() - before < unproven.paceBytes) reject(tooSlowly())
    before = length()
  }, unproven.paceMs)
  return { tooSlow, stop: () => clearInterval(timer) }
}

const tooSlowly = (): ApiError =>
  new ApiError(
    'bad_request',
    `A body must arrive at a rate of at least ${unproven.paceBytes / 1024} KiB in ${unproven.paceMs / 1000} s. Send the request again.`,
    { status: 408 },
  )

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
