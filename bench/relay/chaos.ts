/**
 * Whether every action is done exactly once on a chain that fails, by a hub that is killed:
 * `node scripts/nx.mjs node bench/relay/chaos.ts [seeds]`. Exits 1 at the first seed where it is not.
 */
import { runRelayChaos } from '../../localnet/testing/relay-chaos.ts'

const seeds = Number(process.argv[2] ?? 20)
const actions = 150
const crashes = 4

let done = 0
for (let seed = 1; seed <= seeds; seed++) {
  const result = await runRelayChaos({
    seed: 1_000 + seed,
    actions,
    crashes,
    faultRate: 0.1 + 0.05 * (seed % 7),
  })
  const { accepted, confirmed, nonces, waiting } = result
  const exact =
    [accepted, confirmed, result.done, nonces].every((count) => count === actions) && waiting === 0
  console.log(`seed ${1_000 + seed} ${exact ? 'exact' : 'WRONG'} ${JSON.stringify(result)}`)
  if (!exact) process.exit(1)
  done += result.done
}
console.log(
  `${seeds} seeds, ${done} actions, ${seeds * crashes} kills: every action once, nonces without a gap`,
)
