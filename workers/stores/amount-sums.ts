/** Amounts have up to 78 digits, and the database sums integers of 18: they are summed in parts of 13. */
const partDigits = 13
const parts = 6

/** The parts of an amount as integers of the database, the highest first. A number of it would lose digits. */
export const amountParts = (amount: string): string[] =>
  Array.from(
    { length: parts },
    (_, part) =>
      `CAST(substr(printf('%0${parts * partDigits}d', 0) || ${amount}, -${parts * partDigits} + ${part * partDigits}, ${partDigits}) AS INTEGER)`,
  )

/** The sums of parts as one text. */
export const sumText = (summed: readonly string[]): string =>
  summed.map((part) => `sum(${part})`).join(" || ' ' || ")

/** The sum that such a text is; null is the sum of nothing. */
export const readSum = (text: string | null): bigint =>
  (text ?? '0').split(' ').reduce((sum, part) => sum * 10n ** BigInt(partDigits) + BigInt(part), 0n)
