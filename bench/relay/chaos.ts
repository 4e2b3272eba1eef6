/**
 * Whether every action is done exactly once on a chain that fails, by a hub that is killed and whose keys are replaced:
 * `npm run chaos:relay -- [scenarios] [first seed]`. Writes bench/relay/chaos-<first seed>.json; exits 1 when a scenario is
 * not exact. Runs with other seeds may go on beside it.
 */
import { writeFileSync } from 'node:fs'
import { type ChaosResult, isExact, runRelayChaos } from '../../localnet/testing/relay-chaos.ts'

const scenarios = Number(process.argv[2] ?? 1_000)
const firstSeed = Number(process.argv[3] ?? 1)
if (!Number.isSafeInteger(scenarios) || scenarios < 1 || !Number.isSafeInteger(firstSeed)) {
  console.error('Usage: npm run chaos:relay -- [scenarios, 1 or more] [first seed, a whole number]')
  process.exit(2)
}
const file = `bench/relay/chaos-${firstSeed}.json`
const atOnce = 8
/** Eight hubs take seconds to start again, and all scenarios that are under way see that. */
const killEvery = 24
/** Mining becomes slow on a chain with many blocks, so a new one begins after as many scenarios. */
const scenariosPerChain = 400

const results: ChaosResult[] = []
const startedMs = performance.now()
for (let first = 0; first < scenarios; first += scenariosPerChain) {
  const length = Math.min(scenariosPerChain, scenarios - first)
  const seeds = Array.from({ length }, (_, index) => firstSeed + first + index)
  const result = await runRelayChaos({ seeds, atOnce, killEvery })
  results.push(result)
  const wrong = result.scenarios.filter((scenario) => !isExact(scenario))
  console.log(`seeds ${seeds[0]} to ${seeds.at(-1)}: ${length - wrong.length} of ${length} exact`)
  // After every part: a run that is ended has said how far it came.
  writeFileSync(file, `${JSON.stringify(summarise(results), null, 2)}\n`)
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
    rotated: all.filter(({ rotated }) => rotated).length,
    kills: results.reduce((sum, { kills }) => sum + kills, 0),
    actions: all.reduce((sum, { actions }) => sum + actions, 0),
    nonces: all.reduce((sum, { nonces }) => sum + nonces, 0),
    filled: all.reduce((sum, { filled }) => sum + filled, 0),
    waiting: results.reduce((sum, { waiting }) => sum + waiting, 0),
    faults,
    seconds: Math.round((performance.now() - startedMs) / 1000),
  }
}
