import { type SQL, sql } from 'drizzle-orm'

/** Amounts have up to 78 digits, and the database sums integers of 18: they are summed in parts of 13. */
const partDigits = 13
const digits = 6 * partDigits

/** The parts of an amount as integers of the database, the highest first. A number of it would lose digits. */
export const amountParts = (amount: SQL): SQL[] =>
  Array.from({ length: digits / partDigits }, (_, part) => {
    const place = sql.raw(`${part * partDigits - digits}, ${partDigits}`)
    return sql`CAST(substr(${sql.raw(`printf('%0${digits}d', 0)`)} || ${amount}, ${place}) AS INTEGER)`
  })

/** The sums of parts as one text. */
export const sumOfParts = (parts: readonly SQL[]): SQL =>
  sql.join(
    parts.map((part) => sql`sum(${part})`),
    sql` || ' ' || `,
  )

export const amountSum = (amount: SQL): SQL => sumOfParts(amountParts(amount))

/** The sum that such a text is; null is the sum of nothing. */
export const readSum = (text: string | null): bigint =>
  (text ?? '0').split(' ').reduce((sum, part) => sum * 10n ** BigInt(partDigits) + BigInt(part), 0n)
