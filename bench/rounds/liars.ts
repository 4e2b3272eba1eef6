/**
 * Whether liars in a committee ever make a wrong result final: `npm run bench:liars -- [rounds] [seed]`. Every committee from
 * 3 to 31 members with every number of liars below its quorum, in turn, with real votes of members and of four validators, of
 * which one lies too. Writes bench/rounds/liars.json; exits 1 at the first wrong final result.
 *
 * The same rounds with a quorum of liars come last. They have to end wrong now and then: else these rounds could not show it.
 */
import { writeFileSync } from 'node:fs'
import { quorum } from '../../protocol/committees/index.ts'
import { draws } from '../draws.ts'
import { type Outcome, playRound } from './round-of-liars.ts'

const count = Number(process.argv[2] ?? 10_000)
const seed = Number(process.argv[3] ?? 1)
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run bench:liars -- [rounds, 1 or more] [seed, a whole number]')
  process.exit(2)
}
const sizes = Array.from({ length: 29 }, (_, index) => index + 3)
const pairs = sizes.flatMap((size) => Array.from({ length: quorum(size) }, (_, liars) => ({ size, liars })))

const random = draws(seed)
const startedMs = performance.now()
const seconds = () => Math.round((performance.now() - startedMs) / 1000)

const below = new Map<Outcome, number>()
for (let index = 0; index < count; index++) {
  const pair = pairs[index % pairs.length]!
  const outcome = playRound(random, { ...pair, index })
  below.set(outcome, (below.get(outcome) ?? 0) + 1)
  if (outcome === 'wrong') {
    console.error(
      `A wrong result is final: ${pair.liars} liars of ${pair.size}, round ${index}, seed ${seed}`,
    )
    process.exit(1)
  }
  if ((index + 1) % 1_000 === 0) console.log(`${seconds()} s: ${index + 1} rounds`)
}

const atQuorum = new Map<Outcome, number>()
for (const size of sizes) {
  const outcome = playRound(random, { size, liars: quorum(size), index: count + size, silentHonest: true })
  atQuorum.set(outcome, (atQuorum.get(outcome) ?? 0) + 1)
}
const result = {
  date: new Date().toISOString().slice(0, 10),
  seed,
  rounds: count,
  committees: `${sizes[0]} to ${sizes.at(-1)} members, ${pairs.length} pairs of members and liars`,
  below_the_quorum: Object.fromEntries(below),
  with_a_quorum_of_liars: Object.fromEntries(atQuorum),
  seconds: seconds(),
}
writeFileSync('bench/rounds/liars.json', `${JSON.stringify(result, null, 2)}\n`)
console.log(JSON.stringify(result, null, 2))
if (!atQuorum.has('wrong')) {
  console.error('Even a quorum of liars made no wrong result final, so these rounds prove nothing.')
  process.exit(1)
}
