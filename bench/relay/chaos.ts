/**
 * Whether every action is done exactly once on a chain that fails, by a hub that is killed:
 * `npm run chaos:relay -- [scenarios] [first seed]`. Writes bench/relay/chaos.json; exits 1 when a scenario is not exact.
 */
import { writeFileSync } from 'node:fs'
import { type ChaosResult, isExact, runRelayChaos } from '../../localnet/testing/relay-chaos.ts'

const scenarios = Number(process.argv[2] ?? 1_000)
const firstSeed = Number(process.argv[3] ?? 1)
const atOnce = 4
const killEvery = 3
/** Mining becomes slow on a chain with many blocks, so a new one begins after as many scenarios. */
const scenariosPerChain = 120

const seeds = Array.from({ length: scenarios }, (_, index) => firstSeed + index)
const results: ChaosResult[] = []
const startedMs = performance.now()
for (let first = 0; first < seeds.length; first += scenariosPerChain) {
  const part = seeds.slice(first, first + scenariosPerChain)
  const result = await runRelayChaos({ seeds: part, atOnce, killEvery })
  results.push(result)
  const wrong = result.scenarios.filter((scenario) => !isExact(scenario))
  console.log(`seeds ${part[0]} to ${part.at(-1)}: ${part.length - wrong.length} of ${part.length} exact`)
  // After every part: a run that is ended has said how far it came.
  writeFileSync('bench/relay/chaos.json', `${JSON.stringify(summarise(results), null, 2)}\n`)
  if (wrong.length > 0 || result.waiting > 0) {
    console.error(JSON.stringify({ wrong, waiting: result.waiting }, null, 2))
    process.exit(1)
  }
}
console.log(JSON.stringify(summarise(results), null, 2))

function summarise(results: readonly ChaosResult[]) {
  const all = results.flatMap((result) => result.scenarios)
  const faults: Record<string, number> = {}
  for (const [name, count] of results.flatMap((result) => [...result.faults]).sort())
    faults[name] = (faults[name] ?? 0) + count
  return {
    date: new Date().toISOString().slice(0, 10),
    scenarios: all.length,
    first_seed: firstSeed,
    exact: all.filter(isExact).length,
    killed: all.filter(({ killed }) => killed).length,
    kills: results.reduce((sum, { kills }) => sum + kills, 0),
    actions: all.reduce((sum, { actions }) => sum + actions, 0),
    nonces: all.reduce((sum, { nonces }) => sum + nonces, 0),
    waiting: results.reduce((sum, { waiting }) => sum + waiting, 0),
    faults,
    seconds: Math.round((performance.now() - startedMs) / 1000),
  }
}
