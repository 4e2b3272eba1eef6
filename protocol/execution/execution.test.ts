import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../encoding/index.ts'
import { resolveProfile } from '../identity/index.ts'
import { roundText } from '../rounds/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { createReceipt, hashReceipt } from './execution.ts'
import { computeStateRoot, hashStateLeaf, stateBucket } from './state-root.ts'

describeVectors('execution')

const profile = resolveProfile()
const bytes = fc.uint8Array({ maxLength: 12 })
const stores = fc.uniqueArray(fc.record({ key: bytes, value: bytes }), {
  selector: ({ key }) => bytesToHex(key),
})

describe('hashReceipt', () => {
  test('covers exactly the eight members', () => {
    const receipt = createReceipt({
      module_address: `0x${'11'.repeat(32)}`,
      function: 'f',
      input: new Uint8Array(1),
      output: new Uint8Array(2),
      events: [],
      gas_used: 3,
      success: true,
    })
    expect(Object.keys(receipt)).toHaveLength(8)
    const more = { ...receipt, timestamp: 1, signature: '0x' }
    expect(hashReceipt(more)).toBe(hashReceipt(receipt))
    for (const member of Object.keys(receipt))
      expect(hashReceipt({ ...receipt, [member]: 'other' })).not.toBe(hashReceipt(receipt))
  })
})

describe('computeStateRoot', () => {
  property('the order of entries does not matter', [stores], (entries) => {
    expect(computeStateRoot(profile, [...entries].reverse())).toEqual(computeStateRoot(profile, entries))
  })

  test('property: different stores have different roots', () => {
    const text = (entries: { key: Uint8Array; value: Uint8Array }[]) =>
      entries
        .map(({ key, value }) => `${bytesToHex(key)}=${bytesToHex(value)}`)
        .sort()
        .join()
    fc.assert(
      fc.property(stores, stores, (a, b) => {
        const same = computeStateRoot(profile, a).root === computeStateRoot(profile, b).root
        expect(same).toBe(text(a) === text(b))
      }),
    )
  })

  property('no byte moves between key and value unseen', [bytes, bytes, bytes, bytes], (k1, v1, k2, v2) => {
    const same = bytesToHex(k1) === bytesToHex(k2) && bytesToHex(v1) === bytesToHex(v2)
    expect(hashStateLeaf({ key: k1, value: v1 }) === hashStateLeaf({ key: k2, value: v2 })).toBe(same)
  })

  property('a bucket has 12 bits', [bytes], (key) => stateBucket(key) >= 0 && stateBucket(key) < 4096)
})

describe('roundText', () => {
  test('an empty payout line ends the text with LF, or comes before the extra line', () => {
    const vote = { round_id: 'r', receipt_hash: 'h' }
    expect(roundText(profile, { kind: 'epoch', ...vote })).toBe('hub-vote-v1\nepoch\nr\nh\n')
    expect(roundText(profile, { kind: 'finality', ...vote, extra: 'x' })).toBe(
      'hub-vote-v1\nfinality\nr\nh\n\nx',
    )
    expect(roundText(profile, { kind: 'task', ...vote, payout_address: 'a' })).toBe(
      'hub-vote-v1\ntask\nr\nh\na',
    )
  })
})
