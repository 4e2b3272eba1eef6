import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { resolveProfile } from '../identity/index.ts'
import { describeVectors } from '../vectors/suite.ts'
import { quorum } from './quorum.ts'
import { candidateWeight, type DrawInput, drawCommittee } from './sortition.ts'

describeVectors('weights', 'sortition')

const profile = resolveProfile()
const base = {
  beacon: hashText('beacon'),
  project_id: hashText('project'),
  epoch: 7,
  set_hash: hashText('set'),
  weight_cap: '40000000000000000000',
  weight_unit_wei: '1000000000000000',
}
const inputs: fc.Arbitrary<DrawInput> = fc
  .record({
    n: fc.nat(20),
    seq: fc.nat(),
    size: fc.integer({ min: 1, max: 9 }),
    min_size: fc.integer({ min: 1, max: 5 }),
    backups: fc.nat(5),
    reputation: fc.integer({ min: 1000, max: 10_000 }),
  })
  .map(({ n, seq, reputation, ...committee }) => ({
    ...base,
    seq,
    committee,
    entries: Array.from({ length: n }, (_, i) => ({
      node_key: `0x${(i + 1).toString(16).padStart(64, '0')}`,
      collateral: String(10n ** 18n * BigInt(i + 1)),
      reputation,
    })),
  }))

describe('drawCommittee', () => {
  test('property: draws nobody twice, as many as there may be, primaries first', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { draw, k_eff, b_eff, q, fallback } = drawCommittee(profile, input)
        expect(draw.length).toBe(
          fallback ? 0 : Math.min(input.committee.size + input.committee.backups, input.entries.length),
        )
        expect(new Set(draw.map((member) => member.node_key)).size).toBe(draw.length)
        expect(
          draw.every(
            ({ position, role }, i) => position === i && role === (i < k_eff ? 'primary' : 'backup'),
          ),
        ).toBe(true)
        expect(k_eff + b_eff).toBeLessThanOrEqual(input.entries.length)
        expect(q).toBe(quorum(k_eff))
      }),
    )
  })

  // Walks the entries as the rule is worded, with a list that shrinks, where the code zeroes weights.
  test('property: agrees with a draw from a shrinking list', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { draws } = drawCommittee(profile, input)
        const left = input.entries.map((entry, index) => ({ index, weight: candidateWeight(entry, input) }))
        for (const { word, index, x } of draws) {
          const total = left.reduce((sum, one) => sum + one.weight, 0n)
          expect(BigInt(x)).toBe(BigInt(word) % total)
          let sum = 0n
          const at = left.findIndex((one) => {
            sum += one.weight
            return BigInt(x) < sum
          })
          expect(left.splice(at, 1)[0]!.index).toBe(index)
        }
      }),
    )
  })

  test('draws about as often as the weight says', () => {
    const entries = [1n, 3n].map((units, i) => ({
      node_key: `0x${String(i).repeat(64)}`,
      collateral: String(units * 10n ** 18n),
      reputation: 1000,
    }))
    const committee = { size: 1, min_size: 1, backups: 0 }
    const heavy = Array.from({ length: 2000 }, (_, seq) =>
      drawCommittee(profile, { ...base, seq, entries, committee }),
    ).filter(({ draws }) => draws[0]!.index === 1)
    expect(heavy.length / 2000).toBeCloseTo(0.75, 1)
  })

  test('refuses to draw when nobody has any weight', () => {
    const entries = [{ node_key: `0x${'01'.repeat(32)}`, collateral: '0', reputation: 1000 }]
    const committee = { size: 1, min_size: 1, backups: 0 }
    expect(() => drawCommittee(profile, { ...base, seq: 0, entries, committee })).toThrowError(
      expect.objectContaining({ field: 'weights' }),
    )
  })
})
