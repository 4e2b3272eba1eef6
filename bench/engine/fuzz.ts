/**
 * Compares the engines with each other and with the plain reference of the gas rules on random modules, each under
 * several gas limits around what it uses: `npm run fuzz:engine -- [first seed] [modules]`.
 */
import { compareInThread } from '../../node-cli/src/engine/testing/compare-worker.ts'

const [first = 1, modules = 20_000] = process.argv.slice(2).map(Number)

const startedMs = performance.now()
const { runs, differences, outcomes } = await compareInThread(first, modules, (done) =>
  console.log(`… ${done} of ${modules}`),
)
for (const difference of differences.slice(0, 10)) console.log(difference)
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
console.log(
  `${modules} modules from seed ${first}, ${runs} runs, ${differences.length} differences, ${seconds} s`,
)
console.log(JSON.stringify(outcomes))
if (differences.length > 0) process.exitCode = 1
