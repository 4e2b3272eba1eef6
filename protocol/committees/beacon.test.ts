import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { defaultNetworkParams } from '../identity/index.ts'
import { isAudited, selectAuditBlock } from '../rounds/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { type Block, beaconTargetTime, selectBeaconBlock } from './beacon.ts'

describeVectors('beacon', 'audit')

const chain: fc.Arbitrary<Block[]> = fc.array(fc.nat(3), { maxLength: 20 }).map((gaps) => {
  let timestamp = 1000
  return gaps.map((gap, number) => {
    timestamp += gap
    return { number, hash: hashText(String(number)), timestamp }
  })
})

property(
  'a beacon block is the last one below its target, and further blocks never change it',
  [chain, fc.integer({ min: 995, max: 1070 })],
  (blocks, target) => {
    const block = selectBeaconBlock(blocks, target)
    const below = blocks.filter((one) => one.timestamp < target)
    expect(block).toEqual(below.at(-1) ?? null)
    expect(selectBeaconBlock([...below].reverse(), target)).toEqual(block)
  },
)

property(
  'an audit block comes after everything that was known when the round was agreed',
  [chain, fc.integer({ min: 995, max: 1070 })],
  (blocks, agreedAt) => {
    expect(selectAuditBlock([...blocks].reverse(), agreedAt)).toEqual(
      blocks.find((one) => one.timestamp > agreedAt) ?? null,
    )
  },
)

test('the beacon of an epoch is taken before its snapshot is built', () => {
  const built = 7 * 3600 - defaultNetworkParams.snapshot_lead_secs
  expect(beaconTargetTime(7, 3600, defaultNetworkParams)).toBeLessThan(built)
})

property(
  'contested rounds are always audited, others below the rate, and a higher rate spares nobody',
  [fc.nat(9_999), fc.nat(9_999)],
  (draw, rate) => {
    expect(isAudited(draw, rate, true)).toBe(true)
    expect(isAudited(draw, 0, false)).toBe(false)
    expect(isAudited(draw, 10_000, false)).toBe(true)
    if (isAudited(draw, rate, false)) expect(isAudited(draw, rate + 1, false)).toBe(true)
  },
)
