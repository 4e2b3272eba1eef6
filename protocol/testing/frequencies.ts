import { candidateWeight, drawCommittee } from '../committees/index.ts'
import { hashText } from '../encoding/index.ts'
import { resolveProfile } from '../identity/index.ts'
import { auditDraw } from '../rounds/index.ts'

/**
 * How often things were drawn beside how often they should be, as Pearson's statistic. The same number of draws always
 * gives the same value: nothing is drawn but the hashes of numbers.
 */
export interface Frequencies {
  readonly name: string
  readonly statisticOf: (draws: number) => number
  /** The value that chance alone exceeds once in a thousand times, for this number of outcomes. */
  readonly most: number
}

const profile = resolveProfile()

/** Four nodes, the last one heavier than the cap allows. */
const drawOf = {
  beacon: hashText('beacon'),
  project_id: hashText('project'),
  epoch: 7,
  set_hash: hashText('set'),
  weight_cap: '40000000000000000000',
  weight_unit_wei: '1000000000000000',
  committee: { size: 2, min_size: 1, backups: 0 },
  entries: [1n, 2n, 3n, 100n].map((tokens, i) => ({
    node_key: hashText(`node ${i}`),
    collateral: String(tokens * 10n ** 18n),
    reputation: 1_000 * (i + 1),
  })),
}

/** Every ordered pair: the second of a pair is drawn by the weights that the first leaves. */
const pairs: Frequencies = {
  name: 'pairs of a committee',
  most: 31.26,
  statisticOf: (draws) => {
    const weights = drawOf.entries.map((entry) => Number(candidateWeight(entry, drawOf)))
    const sum = weights.reduce((a, b) => a + b)
    const expected = new Map(
      weights.flatMap((first, a) =>
        weights.flatMap((second, b) =>
          a === b ? [] : [[`${a},${b}`, (draws * first * second) / sum / (sum - first)] as const],
        ),
      ),
    )
    const drawn = Array.from({ length: draws }, (_, seq) =>
      drawCommittee(profile, { ...drawOf, seq })
        .draws.map(({ index }) => index)
        .join(),
    )
    return pearson(drawn, expected)
  },
}

/** Draws of audits, in hundreds. 65,536 is not a multiple of 10,000, so low draws occur a little more often. */
const audits: Frequencies = {
  name: 'audits',
  most: 148.23,
  statisticOf: (draws) => {
    const expected = new Map<string, number>()
    for (let word = 0; word < 65_536; word++) {
      const hundred = hundredOf(word % 10_000)
      expected.set(hundred, (expected.get(hundred) ?? 0) + draws / 65_536)
    }
    const drawn = Array.from({ length: draws }, (_, i) =>
      hundredOf(auditDraw(profile, `task:${hashText(`round ${i}`)}`, hashText('block'))),
    )
    return pearson(drawn, expected)
  },
}

const hundredOf = (draw: number): string => String(Math.floor(draw / 100))

function pearson(drawn: readonly string[], expected: ReadonlyMap<string, number>): number {
  const counts = new Map([...expected.keys()].map((outcome) => [outcome, 0]))
  for (const outcome of drawn) counts.set(outcome, counts.get(outcome)! + 1)
  return [...expected].reduce((sum, [outcome, count]) => sum + (counts.get(outcome)! - count) ** 2 / count, 0)
}

export const frequencies: readonly Frequencies[] = [pairs, audits]
