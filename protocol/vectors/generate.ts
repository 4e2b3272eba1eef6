/**
 * Fills in the outputs of cases that have none, with what this implementation answers, and lays the file out one case per
 * line. An existing output is never touched: a known answer changes by hand or not at all.
 *
 * Usage: node protocol/vectors/generate.ts FILE…
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { executeCase } from './execute.ts'
import { type Json, readVectorFile, type VectorSet } from './format.ts'

for (const file of process.argv.slice(2)) {
  const { cases, topics, ...head } = JSON.parse(readFileSync(file, 'utf8')) as Json
  const sets = readVectorFile(file)
  const members = Object.entries(head).map(([key, value]) => `${ascii(key)}: ${ascii(value)},\n`)
  const body =
    topics === undefined
      ? `"cases": ${fill(sets[0]!, cases)}`
      : `"topics": {\n${sets.map((set) => `${ascii(set.topic)}: ${fill(set, topics[set.topic])}`).join(',\n')}\n}`
  writeFileSync(file, `{\n${members.join('')}${body}\n}\n`)
}

/** Writes out the cases of a topic, one per line. */
function fill(set: VectorSet, cases: Json): string {
  const filled = cases.map((one: Json, i: number) =>
    Object.hasOwn(one, 'output') ? one : { ...one, output: executeCase(set, set.cases[i]!) },
  )
  return `[\n${filled.map(ascii).join(',\n')}\n]`
}

/** Escapes everything outside printable ASCII, so that look-alike and invisible characters show in a diff. */
function ascii(value: Json): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
