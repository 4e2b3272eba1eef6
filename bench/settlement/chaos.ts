/**
 * Whether vaults pay what validators attested and slashes take what was proven, exactly, on a chain that fails and by a hub
 * that is killed: `npm run chaos:settlement -- [scenarios] [first seed]`. Writes bench/settlement/chaos-<first seed>.json;
 * exits 1 with the first difference. Runs with other seeds may go on beside it.
 */
import { writeFileSync } from 'node:fs'
import type { Counts } from './chaos/check.ts'
import { Difference } from './chaos/difference.ts'
import { type NetworkResult, runOnNetwork } from './chaos/run.ts'

const scenarios = Number(process.argv[2] ?? 1_000)
const firstSeed = Number(process.argv[3] ?? 1)
if (!Number.isSafeInteger(scenarios) || scenarios < 1 || !Number.isSafeInteger(firstSeed)) {
  console.error('Usage: npm run chaos:settlement -- [scenarios, 1 or more] [first seed, a whole number]')
  process.exit(2)
}
const file = `bench/settlement/chaos-${firstSeed}.json`
const atOnce = 32
const killEvery = 2
/** Mining becomes slow on a chain with many blocks, and checks with many epochs, so a new network begins after as many. */
const scenariosPerNetwork = 240

const results: NetworkResult[] = []
const startedMs = performance.now()
const seconds = () => Math.round((performance.now() - startedMs) / 1000)
for (let first = 0; first < scenarios; first += scenariosPerNetwork) {
  const length = Math.min(scenariosPerNetwork, scenarios - first)
  const seeds = Array.from({ length }, (_, index) => firstSeed + first + index)
  try {
    const onProgress = (text: string) => console.log(`${seconds()} s: ${text}`)
    // After every turn: a run that is ended has said how far it came.
    const onTurn = (result: NetworkResult) => write([...results, result])
    results.push(await runOnNetwork({ seeds, atOnce, killEvery, onProgress, onTurn }))
  } catch (error) {
    if (!(error instanceof Difference)) throw error
    console.error(`The first difference, after ${seconds()} s. ${error.message}`)
    process.exit(1)
  }
  write(results)
}
console.log(JSON.stringify(summarise(results), null, 2))
process.exit(0)

function write(results: readonly NetworkResult[]): void {
  writeFileSync(file, `${JSON.stringify(summarise(results), null, 2)}\n`)
}

function summarise(results: readonly NetworkResult[]) {
  const total = (count: (result: NetworkResult) => number) =>
    results.reduce((sum, result) => sum + count(result), 0)
  const counted = (name: Exclude<keyof Counts, 'paid' | 'taken'>) => total(({ counts }) => counts[name])
  const amount = (name: 'paid' | 'taken') =>
    String(results.reduce((sum, { counts }) => sum + counts[name], 0n))
  const faults: Record<string, number> = {}
  for (const [name, count] of results.flatMap((result) => [...result.faults]).sort())
    faults[name] = (faults[name] ?? 0) + count
  return {
    date: new Date().toISOString().slice(0, 10),
    scenarios: total((result) => result.scenarios),
    first_seed: firstSeed,
    kills: total((result) => result.kills),
    epochs_paid: counted('epochsPaid'),
    epochs_vetoed: counted('epochsVetoed'),
    epochs_waiting: counted('epochsWaiting'),
    slashes_executed: counted('slashesExecuted'),
    slashes_cancelled: counted('slashesCancelled'),
    slashes_disputed: counted('slashesDisputed'),
    slashes_closed: counted('slashesClosed'),
    paid: amount('paid'),
    taken: amount('taken'),
    faults,
    seconds: seconds(),
  }
}
