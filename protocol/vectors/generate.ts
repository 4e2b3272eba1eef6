/**
 * Fills in the outputs of cases that have none, with what this implementation answers, and lays the file out one case per
 * line. An existing output is never touched: a known answer changes by hand or not at all. Refusals are named, since an
 * input that is misspelt is refused too; a case whose input cannot be used at all stays without output, and the exit code
 * is 1.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { executeCase } from './execute.ts'
import { type Json, readVectorFile, type VectorSet } from './format.ts'

const files = process.argv.slice(2)
if (files.length === 0) {
  process.stderr.write('Usage: node scripts/nx.mjs node protocol/vectors/generate.ts FILE…\n')
  process.exitCode = 2
}

for (const file of files) {
  const { cases, topics, ...head } = JSON.parse(readFileSync(file, 'utf8')) as Json
  const sets = readVectorFile(file)
  const members = Object.entries(head).map(([key, value]) => `${ascii(key)}: ${ascii(value)},\n`)
  const body =
    topics === undefined
      ? `"cases": ${fill(file, sets[0]!, cases)}`
      : `"topics": {\n${sets.map((set) => `${ascii(set.topic)}: ${fill(file, set, topics[set.topic])}`).join(',\n')}\n}`
  writeFileSync(file, `{\n${members.join('')}${body}\n}\n`)
}

/** Writes out the cases of a topic, one per line. */
function fill(file: string, set: VectorSet, cases: Json): string {
  const filled = cases.map((one: Json, i: number) => {
    if (Object.hasOwn(one, 'output')) return one
    const output = executeCase(set, set.cases[i]!)
    if (output?.error === undefined) return { ...one, output }
    const where = `${file}: topic ${set.topic}, case ${one.name ?? i + 1}`
    if (!/^[a-z0-9_]+$/.test(output.error)) {
      const [reason] = String(output.error).split('\n')
      process.stderr.write(`Error: ${where} cannot be answered and stays without output: ${reason}\n`)
      process.exitCode = 1
      return one
    }
    process.stderr.write(
      `${where}: wrote the refusal ${output.error}; check that its input is meant to be refused\n`,
    )
    return { ...one, output }
  })
  return `[\n${filled.map(ascii).join(',\n')}\n]`
}

/** Escapes everything outside printable ASCII, so that look-alike and invisible characters show in a diff. */
function ascii(value: Json): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
