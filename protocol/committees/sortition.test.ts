import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { resolveProfile } from '../identity/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { quorum } from './quorum.ts'
import { type DrawInput, drawCommittee } from './sortition.ts'

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
  property('draws nobody twice, as many as there may be, primaries first', [inputs], (input) => {
    const { draw, k_eff, b_eff, q, fallback } = drawCommittee(profile, input)
    expect(draw.length).toBe(
      fallback ? 0 : Math.min(input.committee.size + input.committee.backups, input.entries.length),
    )
    expect(new Set(draw.map((member) => member.node_key)).size).toBe(draw.length)
    expect(
      draw.every(({ position, role }, i) => position === i && role === (i < k_eff ? 'primary' : 'backup')),
    ).toBe(true)
    expect(k_eff + b_eff).toBeLessThanOrEqual(input.entries.length)
    expect(q).toBe(quorum(k_eff))
  })

  test('refuses to draw if no node has weight', () => {
    const entries = [{ node_key: `0x${'01'.repeat(32)}`, collateral: '0', reputation: 1000 }]
    const committee = { size: 1, min_size: 1, backups: 0 }
    expect(() => drawCommittee(profile, { ...base, seq: 0, entries, committee })).toThrowError(
      expect.objectContaining({ field: 'weights' }),
    )
  })
})
