import * as z from 'zod'
import type { JsonValue } from '../../protocol/encoding/index.ts'

/** The formats of the API, one schema each: what they accept is what the OpenAPI document says. */

export const Address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/, 'must be an address: 0x and 40 lower-case hex digits')
  .meta({ id: 'Address', description: 'EVM address in lower case.' })

export const Bytes32 = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 lower-case hex digits')
  .meta({ id: 'Bytes32', description: '32 bytes as lower-case hex.' })

export const Signature = z
  .string()
  .regex(/^0x[0-9a-f]{130}$/, 'must be a signature: 0x and 130 lower-case hex digits')
  .meta({ id: 'EvmSignature', description: '65 bytes `r ‖ s ‖ v`.' })

/** A token amount, which may exceed every number. */
export const Amount = z
  .string()
  // What is no number is not too large a number besides.
  .regex(/^(0|[1-9][0-9]{0,77})$/, { error: 'must be a decimal number of base units', abort: true })
  .meta({ id: 'TokenAmount', description: 'Base units, in decimal.' })

export const TokenView = z
  .strictObject({
    address: Address,
    symbol: z.string(),
    name: z.string(),
    decimals: z.int().min(0).max(36),
  })
  .meta({ id: 'Token' })

export const Timestamp = z.int().min(0).meta({ id: 'Timestamp', description: 'Unix seconds.' })

export const NodeId = z
  .string()
  .meta({ id: 'NodeId', description: 'Name of a node, derived from its public key.' })

/** A node id in a path. The prefix is the deployment's, so another one is a node that does not exist. */
export const PathNodeId = z
  .string()
  .max(128, 'must be the prefix of this network and 16 hex digits')
  .regex(/[0-9a-f]{16}$/i, 'must be the prefix of this network and 16 hex digits')
  .transform((id) => id.slice(0, -16) + id.slice(-16).toLowerCase())

/** 32 bytes in a path, where hex is accepted in any case. */
export const PathBytes32 = z
  .string()
  .toLowerCase()
  .regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 hex digits')
  .meta({ pattern: '^0[xX][0-9a-fA-F]{64}$' })

/** An address in a path or a query, where hex is accepted in any case. */
export const FoldedAddress = z
  .string()
  .toLowerCase()
  .regex(/^0x[0-9a-f]{40}$/, 'must be an address: 0x and 40 hex digits')
  .meta({ pattern: '^0[xX][0-9a-fA-F]{40}$' })

/** Text of at most `max` characters (code points, as JSON Schema counts them). */
export const characters = (max: number, min = 0) =>
  z
    .string()
    .refine((text) => text.length >= min && text.length <= 2 * max && [...text].length <= max, {
      message:
        min > 0 ? `must be ${min} to ${max} characters long` : `must be at most ${max} characters long`,
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })

export const HttpsUrl = z
  .url({ protocol: /^https$/, hostname: z.regexes.domain, error: 'must be an https URL' })
  .max(2048, 'must be at most 2048 characters long')
  .meta({ id: 'HttpsUrl', pattern: '^https://' })

/** An object with members of the client's own; unlike `z.record` it keeps one that is called `__proto__`. */
export const AnyObject = mapOf<JsonValue>(() => null, {})

/**
 * An object whose members are checked one by one.
 *
 * @param problemOf What is wrong with a member, or null.
 * @param schema The JSON Schema of a member's value.
 */
export function mapOf<T>(
  problemOf: (key: string, value: unknown) => string | null,
  schema: object,
): z.ZodType<Record<string, T>, Record<string, T>> {
  const type = z
    .unknown()
    .superRefine((value, context) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        // Nothing else is asked of what is none.
        return context.addIssue({ code: 'custom', message: 'must be an object', continue: false })
      for (const [key, member] of Object.entries(value)) {
        const message = problemOf(key, member)
        if (message !== null) context.addIssue({ code: 'custom', path: [key], message })
      }
    })
    .meta({ type: 'object', additionalProperties: schema })
  return type as z.ZodType<unknown> as z.ZodType<Record<string, T>, Record<string, T>>
}
