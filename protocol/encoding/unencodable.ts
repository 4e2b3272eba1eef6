import { joinPath } from './canonical-encoder.ts'
import { isObject } from './formats.ts'
import type { UnencodableValue } from './strict-json.ts'

/**
 * Finds every value of a document that canonical JSON cannot carry, where the encoder would stop at the first: numbers that
 * are no safe integers, negative zero, and lone surrogates in strings and keys. Where one number breaks two rules it is a
 * `float`, as in the encoder.
 */
export function findUnencodableValues(value: unknown, path = ''): UnencodableValue[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [{ code: 'invalid_string', path }]
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Object.is(value, -0)) return [{ code: 'float', path }]
    return Number.isSafeInteger(value) ? [] : [{ code: 'unsafe_integer', path }]
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => findUnencodableValues(item, joinPath(path, i)))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const memberPath = joinPath(path, key)
    const own: UnencodableValue[] = key.isWellFormed() ? [] : [{ code: 'invalid_string', path: memberPath }]
    return [...own, ...findUnencodableValues(member, memberPath)]
  })
}
