/**
 * Compares the engines with each other and with the plain reference of the gas rules on random modules, each under
 * several gas limits around what it uses: `npm run fuzz:engine -- [first seed] [modules]`. Exit 1 when two differ. With
 * `--write` the summary goes to fuzz-result.md.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { compareInThread } from '../../node-cli/src/engine/testing/compare-worker.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
const [first = 1, modules = 20_000] = positionals.map(Number)

const startedMs = performance.now()
const threads = Math.min(availableParallelism(), 4)
const share = Math.ceil(modules / threads)
const parts = await Promise.all(
  Array.from({ length: threads }, (_, index) =>
    compareInThread(first + index * share, Math.min(share, modules - index * share), (done) =>
      console.log(`… ${done} of ${share} in thread ${index + 1}`),
    ),
  ),
)
const differences = parts.flatMap((part) => part.differences)
const runs = parts.reduce((sum, part) => sum + part.runs, 0)
const outcomes = new Map<string, number>()
for (const part of parts)
  for (const [outcome, count] of Object.entries(part.outcomes))
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)

for (const difference of differences.slice(0, 10)) console.log(difference)
const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1)
const rows = [...outcomes]
  .sort(([, a], [, b]) => b - a)
  .map(([outcome, count]) => `| ${outcome} | ${count} |`)
const summary = `# Differential fuzzing of the engines

\`npm run fuzz:engine -- ${first} ${modules} --write\` on Node ${process.versions.node}, V8 ${process.versions.v8}.

**${modules} modules from seed ${first}, ${runs} runs on each of three engines, ${differences.length} differences**, in ${minutes} minutes.

V8 with fast metering and exact repeats, the interpreter, and V8 with the plain reference of the gas rules give the same output, events, storage writes, log, gas, error and receipt hash. Each module runs with plenty of gas, with what it uses, one more and one less, half of it, and around the last place that asks for gas. The modules use every operator that is allowed, all functions of the host, and each other.

| how a module ends, with plenty of gas | modules |
| --- | --- |
${rows.join('\n')}
`
console.log(summary)
if (values.write) writeFileSync(path.join(import.meta.dirname, 'fuzz-result.md'), summary)
if (differences.length > 0) process.exitCode = 1
