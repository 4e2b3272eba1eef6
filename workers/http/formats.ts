import * as z from 'zod'
import {
  charactersIn,
  isAmount,
  isObject,
  isPrivateHost,
  isTextOf,
  isVisible,
  type JsonValue,
  notBlank,
  parseChecksumAddress,
  patterns,
  plainLine,
  plainText,
  type Range,
  showsItsHost,
  withoutHidden,
} from '../../protocol/encoding/index.ts'
import { nodeIdDigits } from '../../protocol/identity/index.ts'

/** The formats of the API, one schema each: what they accept is what the OpenAPI document says. */

export const Address = z
  .string()
  .regex(patterns.address, 'must be an address: 0x and 40 lower-case hex digits')
  .meta({ id: 'Address', description: 'EVM address in lower case.' })

export const Bytes32 = z
  .string()
  .regex(patterns.bytes32, 'must be 0x and 64 lower-case hex digits')
  .meta({ id: 'Bytes32', description: '32 bytes as lower-case hex.' })

export const Signature = z
  .string()
  .regex(patterns.evmSignature, 'must be a signature: 0x and 130 lower-case hex digits')
  .meta({ id: 'EvmSignature', description: '65 bytes `r ‖ s ‖ v`.' })

export const HexBytes = z.string().regex(patterns.bytes, 'must be 0x and lower-case hex bytes')

/** A token amount, which may exceed every number. */
export const Amount = z
  .string()
  // A text that is not a number is not also reported as too large.
  .regex(patterns.amount, { error: 'must be a decimal number of base units', abort: true })
  .refine(isAmount, 'must be below 2^256')
  .meta({ id: 'TokenAmount', description: 'Base units, in decimal.' })

export const TokenView = z
  .strictObject({ address: Address, symbol: z.string(), name: z.string(), decimals: z.int().min(0).max(36) })
  .meta({ id: 'Token' })

export const Timestamp = z.int().min(0).meta({ id: 'Timestamp', description: 'Unix seconds.' })

export const NodeId = z
  .string()
  .meta({ id: 'NodeId', description: 'Name of a node, derived from its public key.' })

/** A node id in a path. The prefix is the deployment's, so another one is a node that does not exist. */
export const PathNodeId = z
  .string()
  .max(128, `must be the prefix of this network and ${nodeIdDigits} hex digits`)
  .regex(
    new RegExp(`[0-9a-f]{${nodeIdDigits}}$`, 'i'),
    `must be the prefix of this network and ${nodeIdDigits} hex digits`,
  )
  .transform((id) => id.slice(0, -nodeIdDigits) + id.slice(-nodeIdDigits).toLowerCase())

/** 32 bytes in a path, where hex is accepted in any case. */
export const PathBytes32 = z
  .string()
  .toLowerCase()
  .regex(patterns.bytes32, 'must be 0x and 64 hex digits')
  .meta({ pattern: '^0[xX][0-9a-fA-F]{64}$' })

/** A project in a path or a query: its id, hex in any case, or its slug, of which the handler is given the id. */
export const PathProject = z
  .string()
  .regex(
    /^(0[xX][0-9a-fA-F]{64}|[a-z0-9][a-z0-9-]{1,46}[a-z0-9])$/,
    'must be the id or the slug of a project',
  )
  .transform((text) => (/^0x.{64}$/i.test(text) ? text.toLowerCase() : text))
  .describe('The id of a project, or its slug if only one project that the caller can see has this slug.')

/** An address in a path or a query, where hex is accepted in any case. */
export const FoldedAddress = z
  .string()
  .toLowerCase()
  .regex(patterns.address, 'must be an address: 0x and 40 hex digits')
  .meta({ pattern: '^0[xX][0-9a-fA-F]{40}$' })

/** An address in a body, in lower case or as wallets show it: with the checksum of EIP-55, which is checked. */
export const WalletAddress = z
  .string()
  .refine(
    (text) => patterns.address.test(text) || parseChecksumAddress(text) !== null,
    'must be an address: 0x and 40 hex digits, in lower case or with the checksum of EIP-55',
  )
  .transform((text) => text.toLowerCase())
  .meta({ pattern: '^0x[0-9a-fA-F]{40}$' })

/** A name or another line that others read, of at most `max` characters. */
export const line = (max: number, min = 0) => lineOf({ min, max })

export const lineOf = (range: Range) => shownText(range, plainLine, 'one line')

/** Text that others read, of one line or more and at most `max` characters. */
export const lines = (max: number, min = 0) => linesOf({ min, max })

export const linesOf = (range: Range) => shownText(range, plainText, 'a text')

function shownText(range: Range, plain: RegExp, what: string) {
  const message = `must be ${what} ${notBlank}`
  return (
    withLength(z.string().regex(plain, message), range)
      // An empty one is empty on purpose, or too short, which is said already.
      .refine((value) => value === '' || isVisible(value), message)
  )
}

export const textOf = (range: Range) => withLength(z.string(), range)

/** Counts characters as JSON Schema does: code points. */
const withLength = (text: z.ZodString, range: Range) =>
  text
    .refine(isTextOf(range), `must be ${charactersIn(range)} long`)
    .meta({ ...(range.min > 0 && { minLength: range.min }), maxLength: range.max })

export const HttpsUrl = z
  .url({ protocol: /^https$/, hostname: z.regexes.domain, error: 'must be an https URL', abort: true })
  .max(2048, 'must be at most 2048 characters long')
  .refine((url) => plainLine.test(url), `must be a URL ${withoutHidden}`)
  .refine(showsItsHost, 'must be without user info and backslashes')
  .refine((url) => !isPrivateHost(new URL(url).hostname), 'must not name a host of a private network')
  .meta({ id: 'HttpsUrl', pattern: '^https://' })

/** An object with members of the client's own; unlike `z.record` it keeps one that is called `__proto__`. */
export const AnyObject = z
  .unknown()
  .refine(isObject, 'must be an object')
  .meta({ type: 'object', additionalProperties: {} }) as z.ZodType<unknown> as z.ZodType<
  Record<string, JsonValue>,
  Record<string, JsonValue>
>

/** Any value, judged by the handler with the protocol's check. The OpenAPI document shows it as `shape` under the name `id`. */
export function judged(id: string, shape: z.ZodType): z.ZodUnknown {
  const { $schema: _, $defs: __, ...schema } = z.toJSONSchema(shape, { io: 'input' })
  return z.unknown().meta({ ...schema, id })
}
