/**
 * Compares the engines with each other and with the plain reference of the gas rules on random modules, each under
 * several gas limits around what it uses: `node scripts/nx.mjs node bench/engine/fuzz.ts [first seed] [modules]`. Exit 1 when two differ. With
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
/** Half of the modules are written in each way, by as many threads. */
const threads = Math.max(1, Math.min(availableParallelism(), 4) >> 1)
const half = Math.ceil(modules / 2)
const share = Math.ceil(half / threads)
const parts = await Promise.all(
  (['trees', 'code'] as const).flatMap((writer) =>
    Array.from({ length: threads }, (_, index) =>
      compareInThread(writer, first + index * share, Math.min(share, half - index * share), (done) =>
        console.log(`… ${done} of ${share} ${writer} in thread ${index + 1}`),
      ),
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

\`node scripts/nx.mjs node bench/engine/fuzz.ts ${first} ${modules} --write\` on Node ${process.versions.node}, V8 ${process.versions.v8}.

**${2 * half} modules, half of them trees of expressions and half written operator by operator, each half from seed ${first}; ${runs} runs on each of four engines, ${differences.length} differences**, in ${minutes} minutes.

V8 with fast metering and exact repeats, the same with canonical NaNs from the start, the interpreter, and V8 with the plain reference of the gas rules give the same output, events, storage writes, log, gas, error and receipt hash. Each module runs with plenty of gas, with what it uses, one more and one less, half of it, and around the last place that asks for gas. V8 accepts each of them, and so does the validator. The modules use every operator that is allowed, all functions of the host, and each other; much code written operator by operator cannot be reached, where everything fits.

| how a module ends, with plenty of gas | modules |
| --- | --- |
${rows.join('\n')}
`
console.log(summary)
if (values.write) writeFileSync(path.join(import.meta.dirname, 'fuzz-result.md'), summary)
if (differences.length > 0) process.exitCode = 1
