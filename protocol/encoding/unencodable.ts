import { joinPath } from './canonical-encoder.ts'
import { isObject } from './formats.ts'
import type { UnencodableValue } from './strict-json.ts'

/**
 * Every value of a document that canonical JSON cannot carry, while the encoder stops at the first: numbers that are not
 * safe integers, negative zero, and lone surrogates in strings and keys. A number that breaks two rules is a `float`, as
 * in the encoder. The generator searches only as far as its caller reads.
 */
export function* unencodableValues(value: unknown, path = ''): Generator<UnencodableValue, void> {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) yield { code: 'invalid_string', path }
  } else if (typeof value === 'number') {
    if (!Number.isInteger(value) || Object.is(value, -0)) yield { code: 'float', path }
    else if (!Number.isSafeInteger(value)) yield { code: 'unsafe_integer', path }
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* unencodableValues(item, joinPath(path, i))
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const memberPath = joinPath(path, key)
      if (!key.isWellFormed()) yield { code: 'invalid_string', path: memberPath }
      yield* unencodableValues(member, memberPath)
    }
  }
}
