import { printable } from './output.ts'
import { writeOutput } from './standard-streams.ts'

/** Prints rows of a name and a text for people, who may have them from others. */
export function printTable(rows: readonly (readonly [name: string, text: string])[]): void {
  const width = rows.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  for (const [name, text] of rows) writeOutput(`${printable(name).padEnd(width)}  ${printable(text)}\n`)
}
