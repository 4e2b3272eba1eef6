/**
 * Compares the rules of the protocol with the plain ones on random cases, valid and broken ones, and draws with their
 * weights: `npm run agree -- [cases] [seed] [rule]`. Prints the outcomes of the cases of each rule; exit 1 when two answers differ, or
 * when draws are not what the weights say. With a rule, only those whose name begins with it.
 */
import { compare } from './agreement/comparison.ts'
import { consensusComparisons } from './agreement/consensus.ts'
import { settlementComparisons } from './agreement/settlement.ts'
import { frequencies } from './frequencies.ts'

const [cases, given, rule = ''] = process.argv.slice(2)
const numRuns = Number(cases ?? 10_000)
const seed = Number(given ?? Date.now() % 2 ** 31)
const draws = 10 * numRuns
const isAsked = ({ name }: { readonly name: string }) => name.startsWith(rule)

console.log(`${numRuns} cases of each rule, seed ${seed}`)
for (const comparison of [...consensusComparisons, ...settlementComparisons].filter(isAsked)) {
  try {
    const kinds = compare(comparison, { numRuns, seed })
    const outcomes = [...kinds].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${count} ${kind}`)
    console.log(`${comparison.name}: ${outcomes.join(', ')}`)
  } catch (error) {
    console.log(`${comparison.name} differs: ${(error as Error).message}`)
    process.exitCode = 1
  }
}

for (const { name, statisticOf, most } of frequencies.filter(isAsked)) {
  const statistic = statisticOf(draws)
  console.log(`${name}: chi-square of ${draws} draws ${statistic.toFixed(1)}, at most ${most}`)
  if (statistic > most) process.exitCode = 1
}
