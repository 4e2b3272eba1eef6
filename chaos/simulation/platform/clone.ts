/**
 * Like `structuredClone`, but many times faster for the values that objects send and store: texts, numbers, lists and plain objects.
 * An object that occurs twice in a value is copied twice.
 */
export const cloneOf = <T>(value: T): T => copy(value) as T

function copy(value: unknown): unknown {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      // It refuses them.
      return structuredClone(value)
    case 'object':
      return value === null ? null : copyObject(value)
  }
  return value
}

function copyObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(copy)
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value)
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return structuredClone(value)
    copied[key] = copy((value as Record<string, unknown>)[key])
  }
  return copied
}
