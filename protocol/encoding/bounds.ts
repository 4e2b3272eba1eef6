/** A test for integers within bounds. Negative zero is an integer here; that it cannot be encoded is another problem. */
export function isIntegerFrom(min: number, max: number): (value: unknown) => value is number {
  return (value): value is number =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
}

/** Whether the value is a list of at most `max` items that fit. */
export function isListOf(value: unknown, max: number, fits: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.length <= max && value.every(fits)
}

/** Whether the value is a list of different strings, in any order. */
export function isSetOf(value: unknown, min: number, max: number, fits: (item: string) => boolean): boolean {
  return (
    isListOf(value, max, (item) => typeof item === 'string' && fits(item)) &&
    value.length >= min &&
    new Set(value).size === value.length
  )
}

/** Whether the value is a text of `min` to `max` characters. They are code points, at least half as many as UTF-16 units. */
export function hasCharacters(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string' || value.length > 2 * max) return false
  const { length } = Array.from(value)
  return length >= min && length <= max
}
