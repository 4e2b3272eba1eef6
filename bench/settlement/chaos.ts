/**
 * Whether vaults pay what validators attested and slashes take what was proven, exactly, on a chain that fails and by a hub
 * that is killed: `npm run chaos:settlement -- [scenarios] [first seed]`. Writes bench/settlement/chaos-<first seed>.json;
 * exits 1 with the first difference. Runs with other seeds may go on beside it.
 */
import { writeFileSync } from 'node:fs'
import type { Counts } from './chaos/check.ts'
import { runInProcess } from './chaos/process.ts'
import type { NetworkResult } from './chaos/run.ts'

const scenarios = Number(process.argv[2] ?? 1_000)
const firstSeed = Number(process.argv[3] ?? 1)
if (!Number.isSafeInteger(scenarios) || scenarios < 1 || !Number.isSafeInteger(firstSeed)) {
  console.error('Usage: npm run chaos:settlement -- [scenarios, 1 or more] [first seed, a whole number]')
  process.exit(2)
}
const file = `bench/settlement/chaos-${firstSeed}.json`
/** Scenarios of one network at once; it takes four times as many, since checks become slow with many epochs. */
const atOnce = 125
const scenariosPerNetwork = 4 * atOnce
/** Each keeps about one processor busy. */
const networksAtOnce = 2
const scenariosPerKill = 24

const startedMs = performance.now()
const seconds = () => Math.round((performance.now() - startedMs) / 1000)
/** What each network has come to so far. */
const results = new Map<number, NetworkResult>()
const firsts = Array.from(
  { length: Math.ceil(scenarios / scenariosPerNetwork) },
  (_, network) => firstSeed + network * scenariosPerNetwork,
)
const next = firsts.values()
const runOneByOne = async () => {
  for (const first of next) {
    const length = Math.min(scenariosPerNetwork, firstSeed + scenarios - first)
    await runInProcess({ first, length, atOnce, scenariosPerKill }, (message) => {
      if ('text' in message) return console.log(`${seconds()} s: ${message.text}`)
      if ('result' in message) return write(results.set(first, message.result))
      console.error(`The first difference, after ${seconds()} s. ${message.difference}`)
      process.exit(1)
    })
  }
}
await Promise.all(Array.from({ length: networksAtOnce }, runOneByOne))
console.log(JSON.stringify(summarise([...results.values()]), null, 2))

/** After every turn: a run that is ended has said how far it came. */
function write(results: ReadonlyMap<number, NetworkResult>): void {
  writeFileSync(file, `${JSON.stringify(summarise([...results.values()]), null, 2)}\n`)
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
