/**
 * Runs known-answer files against this implementation; see docs/vectors.md for their format.
 * Exit 0 when every case passes, 1 when one differs, 2 for a file that cannot be read.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { executeVectors, type TopicResult } from './execute.ts'
import { readVectorFile, VectorFileError } from './format.ts'

const usage = `Usage: npm run vectors -- [FILE…]

Runs known-answer files and prints "topic: passed/total", with the first difference of a topic that fails.
Without FILE, runs the project's own vectors.

A file is {cases: […]} with the topic as its name, or {profile?, topics: {<topic>: […]}}.

  --help  print this text

Exit status: 0 all passed, 1 something failed, 2 wrong usage or an unreadable file.
`

process.exitCode = main(process.argv.slice(2))

function main(args: string[]): number {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) {
      process.stdout.write(usage)
      return 0
    }
    const files = positionals.length > 0 ? positionals : ownFiles()
    const results = files.flatMap(readVectorFile).map(executeVectors)
    for (const result of results) report(result)
    return results.every(({ differences, implemented }) => implemented && differences.length === 0) ? 0 : 1
  } catch (error) {
    const usageError = (error as { code?: unknown }).code?.toString().startsWith('ERR_PARSE_ARGS')
    if (!(error instanceof VectorFileError) && !usageError) throw error
    process.stderr.write(`Error: ${(error as Error).message}\n`)
    return 2
  }
}

function ownFiles(): string[] {
  const folder = import.meta.dirname
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => path.join(folder, name))
}

function report({ topic, implemented, total, differences }: TopicResult): void {
  const passed = implemented ? total - differences.length : 0
  process.stdout.write(`${topic}: ${passed}/${total}\n`)
  if (!implemented) {
    process.stdout.write(`  topic "${topic}" is not implemented\n`)
    return
  }
  const [first] = differences
  if (first === undefined) return
  process.stdout.write(`  first difference: ${first.name}\n`)
  process.stdout.write(`    expected ${JSON.stringify(first.expected)}\n`)
  process.stdout.write(`    got      ${JSON.stringify(first.got)}\n`)
}
