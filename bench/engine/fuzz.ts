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

**${2 * half} modules: half are trees of expressions, half are written operator by operator, and each half starts at seed ${first}; ${runs} runs on each of four engines, ${differences.length} differences**, in ${minutes} minutes.

Four engines must give the same output, events, storage writes, log, gas, error and receipt hash: V8 with fast metering and exact repeats, the same with canonical NaNs from the start, V8 with the reference implementation of the gas rules, and the interpreter. Each module runs with plenty of gas, with exactly the gas that it uses, one more, one less and half, and with limits around its last gas check. V8 and the engine's validator must agree whether a module is valid. The modules use every allowed operator and all host functions, and call themselves through the host. Much of the code written operator by operator is unreachable, and there all operand types are valid.

| result with plenty of gas | modules |
| --- | --- |
${rows.join('\n')}
`
console.log(summary)
if (values.write) writeFileSync(path.join(import.meta.dirname, 'fuzz-result.md'), summary)
if (differences.length > 0) process.exitCode = 1
