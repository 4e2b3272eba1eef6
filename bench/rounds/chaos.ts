/**
 * Whether every task ends as it should, whoever fails: `npm run chaos:rounds -- [scenarios] [first seed]`. A scenario is a
 * task. Some miners lie, below the quorum, vote twice, fall silent, decline or lose their sockets; validators vanish and lie;
 * the hub is killed, its chain fails and is reorganised; validators join and leave, epochs end, and logs come late. Writes
 * bench/rounds/chaos-<first seed>.json; exits 1 with the first difference.
 */
import { writeFileSync } from 'node:fs'
import { Difference } from '../settlement/chaos/difference.ts'
import { type ChaosResult, runChaos } from './chaos/run.ts'

const scenarios = Number(process.argv[2] ?? 2_000)
const firstSeed = Number(process.argv[3] ?? 1)
if (!Number.isSafeInteger(scenarios) || scenarios < 1 || !Number.isSafeInteger(firstSeed)) {
  console.error('Usage: npm run chaos:rounds -- [scenarios, 1 or more] [first seed, a whole number]')
  process.exit(2)
}
const file = `bench/rounds/chaos-${firstSeed}.json`
const startedMs = performance.now()
const seconds = () => Math.round((performance.now() - startedMs) / 1000)
const write = (result: ChaosResult) =>
  writeFileSync(
    file,
    `${JSON.stringify({ date: new Date().toISOString().slice(0, 10), first_seed: firstSeed, ...result, seconds: seconds() }, null, 2)}\n`,
  )

try {
  const result = await runChaos({
    scenarios,
    firstSeed,
    onProgress: (text) => console.log(`${seconds()} s: ${text}`),
    // A run that is ended has said how far it came.
    onTurn: write,
  })
  write(result)
  console.log(JSON.stringify(result, null, 2))
  process.exit(0)
} catch (error) {
  if (!(error instanceof Difference)) throw error
  console.error(`The first difference, after ${seconds()} s. ${error.message}`)
  process.exit(1)
}
