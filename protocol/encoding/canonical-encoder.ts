import { utf8 } from './bytes.ts'
import type { Hex } from './hex.ts'
import { hashBytes } from './keccak.ts'

/** A value that canonical JSON can carry. Numbers are integers of magnitude at most 2^53 − 1. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** An object of canonical JSON. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Errors of the strict reader. */
export type ReaderErrorCode =
  | 'duplicate_key'
  | 'float'
  | 'unsafe_integer'
  | 'invalid_string'
  | 'invalid_json'
  | 'too_many_values'

/** Errors of the encoder. */
export type EncoderErrorCode =
  | 'float'
  | 'unsafe_integer'
  | 'invalid_string'
  | 'bigint'
  | 'undefined'
  | 'invalid_type'

/** Thrown by the encoder and the strict reader, and by nothing else in this file. */
export class CanonicalJsonError extends Error {
  override readonly name = 'CanonicalJsonError'
  readonly code: ReaderErrorCode | EncoderErrorCode
  /** Dotted path of the failure, array positions as `[i]`, the root as the empty string. */
  readonly path: string
  /** The fault at this path, in words. */
  readonly reason: string

  constructor(code: ReaderErrorCode | EncoderErrorCode, path: string) {
    super(`${path === '' ? 'The document' : path}: ${reasons[code]}.`)
    this.code = code
    this.path = path
    this.reason = reasons[code]
  }
}

const reasons: Record<ReaderErrorCode | EncoderErrorCode, string> = {
  duplicate_key: 'the same key occurs twice in one object',
  float: 'numbers are integers without fraction, exponent or negative zero',
  unsafe_integer: 'integers have a magnitude of at most 2^53 - 1; write larger quantities as decimal strings',
  invalid_string: 'a string contains a lone surrogate',
  invalid_json: 'this is not a JSON document',
  too_many_values: 'the document has too many values',
  bigint: 'a big integer has no canonical form; write it as a decimal string',
  undefined: 'a member is undefined',
  invalid_type: 'only plain objects, arrays, strings, numbers, booleans and null have a canonical form',
}

/** One step of a path: a key, or a position in a list. */
export type PathPart = string | number

/** Longest path that is shown whole, in UTF-16 units. Keys are the author's own, so a path could be as long as a document. */
const pathLengthMax = 200

/**
 * Appends one step to a dotted path: `a` and `b` give `a.b`, `a` and 0 give `a[0]`, the root and `a` give `a`. A path that
 * would be longer than 200 characters ends there with `…`, and takes no further step.
 */
export function joinPath(path: string, part: PathPart): string {
  if (path.length > pathLengthMax) return path
  if (typeof part === 'number') return cutPath(`${path}[${part}]`)
  const key = part.slice(0, pathLengthMax + 1)
  return cutPath(path === '' ? key : `${path}.${key}`)
}

/** The dotted path of steps from the root. */
export const dottedPath = (parts: readonly PathPart[]): string => parts.reduce<string>(joinPath, '')

function cutPath(path: string): string {
  return path.length > pathLengthMax ? `${path.slice(0, pathLengthMax)}…` : path
}

/**
 * Orders texts by Unicode code points, as canonical keys are ordered.
 *
 * JavaScript compares UTF-16 units, which puts U+1F30A (units from U+D83C) before U+FFFD. Moving the surrogates above the
 * rest of the basic plane makes the comparison of units one of code points.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return codePointRank(x) - codePointRank(y)
  }
  return a.length - b.length
}

function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/**
 * Encodes a value as canonical JSON: `canon(v)`, by the rules of section 2.
 * @returns The text; its UTF-8 bytes are what is hashed and signed.
 * @throws {@link CanonicalJsonError} with one of {@link EncoderErrorCode} and the path of the value.
 */
export const encodeCanonicalJson = (value: unknown): string => encodeValue(value, [])

/** Hashes the canonical form of a value: `HC(v)` = `H(text(canon(v)))`. Throws as {@link encodeCanonicalJson}. */
export function hashCanonicalJson(value: unknown): Hex {
  const text = encodeCanonicalJson(value)
  const known = hashes.get(text)
  if (known !== undefined) return known
  const hash = hashBytes(utf8(text))
  if (text.length > keptTextMax) return hash
  if (hashes.size >= keptMax) hashes.delete(hashes.keys().next().value!)
  hashes.set(text, hash)
  return hash
}

/** Hashes of the latest short texts: each vote of a round names the task, the receipt or the record of the others. */
const hashes = new Map<string, Hex>()
const keptMax = 512
const keptTextMax = 2_048

/** @param path The steps to the value, which are written out only where it has no canonical form. */
function encodeValue(value: unknown, path: PathPart[]): string {
  switch (typeof value) {
    case 'string':
      return encodeString(value, path)
    case 'number':
      return encodeNumber(value, path)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'bigint':
    case 'undefined':
      return refuse(typeof value as EncoderErrorCode, path)
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return encodeArray(value, path)
      if (isPlainObject(value)) return encodeObject(value, path)
  }
  return refuse('invalid_type', path)
}

function encodeArray(value: readonly unknown[], path: PathPart[]): string {
  const items: string[] = []
  // An index loop visits holes, which are undefined members; map would skip them.
  for (let i = 0; i < value.length; i++) {
    path.push(i)
    items.push(encodeValue(value[i], path))
    path.pop()
  }
  return `[${items.join(',')}]`
}

function encodeObject(value: Record<string, unknown>, path: PathPart[]): string {
  const members: string[] = []
  for (const key of sortedKeys(value)) {
    const name = encodeString(key, path)
    path.push(key)
    members.push(`${name}:${encodeValue(value[key], path)}`)
    path.pop()
  }
  return `{${members.join(',')}}`
}

/** Units from which on the order of units is not that of code points. */
const surrogatesAndAbove = /[\ud800-\uffff]/

function sortedKeys(value: object): string[] {
  const keys = Object.keys(value)
  return keys.some((key) => surrogatesAndAbove.test(key)) ? keys.sort(compareCodePoints) : keys.sort()
}

/** JSON.stringify escapes exactly the characters of section 2 once lone surrogates, which it would escape too, are excluded. */
function encodeString(value: string, path: readonly PathPart[]): string {
  if (!value.isWellFormed()) return refuse('invalid_string', path)
  return JSON.stringify(value)
}

function encodeNumber(value: number, path: readonly PathPart[]): string {
  if (!Number.isInteger(value) || Object.is(value, -0)) return refuse('float', path)
  if (!Number.isSafeInteger(value)) return refuse('unsafe_integer', path)
  return String(value)
}

function refuse(code: EncoderErrorCode, path: readonly PathPart[]): never {
  throw new CanonicalJsonError(code, dottedPath(path))
}

function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
