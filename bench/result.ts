import { writeFileSync } from 'node:fs'

/** The arguments of a measurement: whole numbers above 0, in the order of their defaults. Ends the process over others. */
export function readCounts<const Names extends string>(
  name: string,
  defaults: Readonly<Record<Names, number>>,
): Record<Names, number> {
  const given = process.argv.slice(2).map(Number)
  const entries = Object.entries<number>(defaults).map(
    ([key, count], at) => [key, given[at] ?? count] as const,
  )
  if (entries.every(([, count]) => Number.isSafeInteger(count) && count > 0))
    return Object.fromEntries(entries) as Record<Names, number>
  const usage = Object.keys(defaults).map((key) => `[${key}]`)
  console.error(`Usage: npm run bench -- ${name} ${usage.join(' ')}, each 1 or more`)
  process.exit(2)
}

export function writeResult(file: string, result: object): void {
  const text = JSON.stringify({ date: new Date().toISOString().slice(0, 10), ...result }, null, 2)
  writeFileSync(file, `${text}\n`)
  console.log(text)
}

/** The value below which this share of the values lies. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ??
  Number.NaN

/** To a tenth. */
export const rounded = (value: number): number => Number(value.toFixed(1))

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** A table of Markdown, of whole rows. */
export const table = (head: string, rows: readonly string[]): string =>
  [head, `|${' --- |'.repeat(head.split('|').length - 2)}`, ...rows].join('\n')
