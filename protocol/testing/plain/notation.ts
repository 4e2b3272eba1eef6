import { keccak_256 } from '@noble/hashes/sha3'

/** Any JSON value. Rules here look at members of documents that may be wrong in every way. */
// biome-ignore lint/suspicious/noExplicitAny: a document that nobody checked has no other type.
export type Json = any

/** The error of every refusal by the plain rules, with the code of its section. */
export class Refusal extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export const text = (content: string): Buffer => Buffer.from(content, 'utf8')
/** `raw20` and `raw32`: the bytes behind a `0x` value. */
export const raw = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')
export const unsigned = (value: number | bigint, width: number): Buffer =>
  Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(2 * width, '0'),
    'hex',
  )
export const u32 = (value: number): Buffer => unsigned(value, 4)
export const u64 = (value: number): Buffer => unsigned(value, 8)

export const H = (...parts: Uint8Array[]): string =>
  `0x${Buffer.from(keccak_256(Buffer.concat(parts))).toString('hex')}`

/** The order of UTF-8 bytes is the order of code points. */
export function canon(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canon).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const keys = Object.keys(value).sort((a, b) => Buffer.compare(text(a), text(b)))
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canon(value[key])}`).join(',')}}`
}

export const HC = (value: Json): string => H(text(canon(value)))

/** In integers, where the product divides numbers. */
export const quorum = (n: number): number => Number((2n * BigInt(n)) / 3n) + 1

export const sum = (values: bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

/** Ascending by the text, no value twice. */
export const ascends = (texts: string[]): boolean =>
  texts.every((one, i) => i === 0 || Buffer.compare(text(texts[i - 1]!), text(one)) < 0)

export const isText = (value: Json): boolean => typeof value === 'string'
export const isHash = (value: Json): boolean => isText(value) && /^0x[0-9a-f]{64}$/.test(value)
export const isAddress = (value: Json): boolean => isText(value) && /^0x[0-9a-f]{40}$/.test(value)
export const isAmount = (value: Json): boolean =>
  isText(value) && /^(0|[1-9][0-9]{0,77})$/.test(value) && BigInt(value) < 2n ** 256n
export const isCount = (value: Json): boolean => Number.isSafeInteger(value) && value >= 0
export const isFlag = (value: Json): boolean => value === true || value === false
export const isRoundId = (value: Json): boolean =>
  isText(value) &&
  (/^(exec|task):0x[0-9a-f]{64}$/.test(value) || /^(reward|epoch):0x[0-9a-f]{64}:[0-9]+:[0-9]+$/.test(value))
export const isList = (value: Json): boolean => Array.isArray(value)
export const isObject = (value: Json): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is an object with these members and no others, each as it must be. */
export const hasShape = (value: Json, shape: Record<string, (member: Json) => boolean>): boolean =>
  isObject(value) &&
  canon(Object.keys(value).sort()) === canon(Object.keys(shape).sort()) &&
  Object.entries(shape).every(([key, fits]) => fits(value[key]))
