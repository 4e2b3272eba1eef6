import {
  CanonicalJsonError,
  dottedPath,
  type JsonValue,
  parseStrictJson,
  type StrictJsonOptions,
} from '../../protocol/encoding/index.ts'
import type { HubContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { GrowingBytes } from './growing-bytes.ts'

export const jsonBytesMax = 1024 * 1024
/** A value takes far more memory and time than its text; no request but a draft needs as many. */
export const jsonValuesMax = 10_000

/**
 * The raw body, read once. The cap holds while reading, with or without `Content-Length`.
 * @throws {@link ApiError} 413 `too_large`, 400 `bad_request` for a body that breaks off.
 */
export async function readBody(c: HubContext, bytesMax: number): Promise<Uint8Array> {
  if (c.var.body === undefined) {
    const body = new GrowingBytes(declaredLength(c) ?? bytesMax)
    for await (const chunk of bodyChunks(c, bytesMax)) body.append(chunk)
    c.var.body = body.bytes()
  }
  return c.var.body
}

/** At a time; also what a body that only announces its length may take. */
const chunkBytes = 64 * 1024

/** The body in pieces, each overwritten by the next. @throws {@link ApiError} 413 `too_large`, 400 `bad_request` for a body that breaks off. */
export async function* bodyChunks(c: HubContext, bytesMax: number): AsyncGenerator<Uint8Array, void> {
  if (c.var.body !== undefined) return yield c.var.body
  const tooLarge = () => new ApiError('too_large', `The body is larger than ${bytesMax} bytes.`)
  const declared = declaredLength(c)
  if (declared !== undefined && declared > bytesMax) throw tooLarge()
  const reader = c.req.raw.body?.getReader({ mode: 'byob' })
  if (reader === undefined) return
  try {
    // One byte more than is declared, so that the end comes with the last piece.
    let buffer = new ArrayBuffer(Math.min((declared ?? chunkBytes) + 1, chunkBytes))
    while (true) {
      const { value, done } = await reader.read(new Uint8Array(buffer)).catch(() => {
        throw new ApiError('bad_request', 'The body ended early. Send the request again.')
      })
      if (value === undefined) return
      c.var.bodyLength += value.byteLength
      if (c.var.bodyLength > bytesMax) throw tooLarge()
      yield value
      if (done) return
      // The bytes came in a buffer of their own; ours is detached.
      buffer = value.buffer as ArrayBuffer
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** The length that the request announces. A hub that believed it would hold memory for who sends nothing. */
export function declaredLength(c: HubContext): number | undefined {
  const declared = Number(c.req.header('content-length') ?? Number.NaN)
  return Number.isSafeInteger(declared) && declared >= 0 ? declared : undefined
}

type OnUnencodable = NonNullable<StrictJsonOptions['onUnencodable']>

interface JsonBodyOptions {
  /** Most values in the body, lists and objects included; {@link jsonValuesMax} when left out. */
  valuesMax?: number | undefined
  /** Judges values without canonical form; left out, the first one breaks the body. */
  onUnencodable?: OnUnencodable | undefined
}

/** Reads the body as strict JSON. @throws {@link ApiError} 400 `bad_request` for no body, broken JSON, or more values than are read. */
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
    throw new ApiError('bad_request', `The body is not valid canonical JSON: ${where}${reason}.`, { details })
  }
}

/** Lets numbers have a fraction or an exponent. One too large to be read as a number would come back as null. */
export const allowFractions: OnUnencodable = (code, readAs, path) => {
  if (code !== 'float' || !Number.isFinite(readAs)) throw new CanonicalJsonError(code, dottedPath(path))
}

/** Reads a body that may be left out; undefined then. @throws {@link ApiError} 400 `bad_request` for another content type or broken JSON. */
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
