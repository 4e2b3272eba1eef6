import {
  CanonicalJsonError,
  dottedPath,
  type JsonValue,
  parseStrictJson,
  type StrictJsonOptions,
} from '../../protocol/encoding/index.ts'
import type { HubContext } from '../context.ts'
import { ApiError } from '../errors.ts'

export const jsonBytesMax = 1024 * 1024
/** A value takes far more memory and time than its text; no request but a draft needs as many. */
export const jsonValuesMax = 10_000

/**
 * The raw body, read once. The cap holds while reading, with or without `Content-Length`, so a body over it is never
 * held in memory whole.
 *
 * @throws {@link ApiError} 413 `too_large`, 400 `bad_request` for a body that breaks off.
 */
export async function readBody(c: HubContext, bytesMax: number): Promise<Uint8Array> {
  const known = c.var.body
  if (known) return known
  const tooLarge = () => new ApiError('too_large', `The body is larger than ${bytesMax} bytes.`)

  const declared = Number(c.req.header('content-length') ?? Number.NaN)
  if (declared > bytesMax) throw tooLarge()
  const stream = c.req.raw.body
  if (stream === null) return keep(c, new Uint8Array())

  // Chunks are read into the one buffer, never beside it: a body of 16 MiB costs 16 MiB. One byte more than the cap
  // tells whether the body goes on.
  let buffer = new ArrayBuffer(
    Number.isSafeInteger(declared) ? declared + 1 : Math.min(bytesMax + 1, firstBytes),
  )
  let length = 0
  const reader = stream.getReader({ mode: 'byob' })
  while (true) {
    if (length === buffer.byteLength) buffer = grown(buffer, bytesMax + 1)
    const { value, done } = await reader.read(new Uint8Array(buffer, length)).catch(() => {
      throw new ApiError('bad_request', 'The body broke off before its end. Send the request again.')
    })
    if (value === undefined) break
    // The bytes come back in a buffer of their own; ours is detached.
    buffer = value.buffer as ArrayBuffer
    length += value.byteLength
    if (length > bytesMax) {
      await reader.cancel().catch(() => {})
      throw tooLarge()
    }
    if (done) break
  }
  return keep(c, new Uint8Array(buffer, 0, length))
}

/** Where a body without a length begins. */
const firstBytes = 64 * 1024

function grown(buffer: ArrayBuffer, bytesMax: number): ArrayBuffer {
  return buffer.transfer(Math.min(bytesMax, 2 * buffer.byteLength))
}

const keep = (c: HubContext, body: Uint8Array): Uint8Array => {
  c.var.body = body
  return body
}

type OnUnencodable = NonNullable<StrictJsonOptions['onUnencodable']>

interface JsonBodyOptions {
  /** Most values in the body, lists and objects included; {@link jsonValuesMax} when left out. */
  valuesMax?: number | undefined
  /** Judges values without canonical form; left out, the first one breaks the body. */
  onUnencodable?: OnUnencodable | undefined
}

/**
 * Reads the body as strict JSON.
 *
 * @throws {@link ApiError} 400 `bad_request` for no body, broken JSON, or more values than are read.
 */
export function parseJsonBody(
  body: Uint8Array,
  { valuesMax = jsonValuesMax, onUnencodable }: JsonBodyOptions = {},
): JsonValue {
  if (body.length === 0) throw new ApiError('bad_request', 'The body is missing; send a JSON object.')
  try {
    return parseStrictJson(body, { maxValues: valuesMax, ...(onUnencodable && { onUnencodable }) })
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    const { code, path, reason } = error
    const details = { reason: code, path }
    if (code === 'too_many_values')
      throw new ApiError('bad_request', `The body holds more than ${valuesMax} values. Send fewer.`, {
        details,
      })
    const where = path === '' ? '' : `${path}: `
    throw new ApiError('bad_request', `The body is not acceptable JSON: ${where}${reason}.`, { details })
  }
}

/** Lets numbers have a fraction or an exponent. One too large to be read as a number would come back as null. */
export const allowFractions: OnUnencodable = (code, readAs, path) => {
  if (code !== 'float' || !Number.isFinite(readAs)) throw new CanonicalJsonError(code, dottedPath(path))
}

/**
 * Reads a body that may be left out; undefined when it is.
 *
 * @throws {@link ApiError} 400 `bad_request` for another content type or broken JSON.
 */
export function parseOptionalJsonBody(c: HubContext, body: Uint8Array): JsonValue | undefined {
  if (new TextDecoder().decode(body).trim() === '') return undefined
  requireContentType(c, 'application/json')
  return parseJsonBody(body)
}

/** @throws {@link ApiError} 400 `bad_request`. */
export function requireContentType(c: HubContext, expected: string): void {
  const [type = '', ...parameters] = (c.req.header('content-type') ?? '')
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))
  const fits = type.toLowerCase() === expected && (!charset || /^charset="?utf-8"?$/i.test(charset))
  if (!fits) throw new ApiError('bad_request', wrongContentType(expected, type, charset))
}

function wrongContentType(expected: string, type: string, charset: string | undefined): string {
  if (type === '') return `The Content-Type must be ${expected}; it is missing.`
  if (type.toLowerCase() === expected) return `The Content-Type must be ${expected} in UTF-8, not ${charset}.`
  return `The Content-Type must be ${expected}, not ${type}.`
}
