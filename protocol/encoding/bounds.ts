import { isVisible, notBlank, plainLine, plainText, withoutHidden } from './plain-text.ts'

/** Least and greatest value of a number, or fewest and most characters of a text; both are allowed. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** A whole in basis points, the unit of shares and rates. */
export const basisPointsMax = 10_000

/** A test for integers in a range. Negative zero is an integer here; that it cannot be encoded is another problem. */
export function isIntegerIn({ min, max }: Range): (value: unknown) => value is number {
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

/** A test for texts by their length in characters: code points, which are at least half as many as UTF-16 units. */
export function isTextOf({ min, max }: Range): (value: unknown) => value is string {
  return (value): value is string => {
    if (typeof value !== 'string' || value.length > 2 * max) return false
    const { length } = Array.from(value)
    return length >= min && length <= max
  }
}

/** A test for texts of one line that show all they have, and show something where they may not be empty. */
export const isLineOf = (range: Range): ((value: unknown) => value is string) =>
  isShownTextOf(range, plainLine)

/** The same for texts of one line or more. */
export function isPlainTextOf(range: Range): (value: unknown) => value is string {
  return isShownTextOf(range, plainText)
}

function isShownTextOf(range: Range, plain: RegExp): (value: unknown) => value is string {
  const fits = isTextOf(range)
  return (value): value is string => fits(value) && plain.test(value) && (range.min === 0 || isVisible(value))
}

/** The rule for the characters of texts of a length, in words. */
export const shownIn = ({ min }: Range): string => (min === 0 ? withoutHidden : notBlank)

/** A length of texts in words. */
export function charactersIn({ min, max }: Range): string {
  return min === 0 ? `at most ${max} characters` : `${min} to ${max} characters`
}
