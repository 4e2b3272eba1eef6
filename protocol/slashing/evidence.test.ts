import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultNetworkParams, resolveProfile } from '../identity/index.ts'
import type { ProjectRules } from '../manifest/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import {
  checkEvidence,
  EvidenceError,
  offenceKey,
  parseEvidence,
  slashAmount,
  slashRate,
} from './evidence.ts'

describeVectors('evidence')

const known = JSON.parse(readFileSync(new URL('../vectors/evidence.json', import.meta.url), 'utf8'))
const posted = (name: string) => known.cases.find((one: { name: string }) => one.name === name).input.evidence

describe('checkEvidence', () => {
  const { validators } = known.common
  const context = (subscription_id: string) => ({ validators, subscription_id, seat: () => null })

  property(
    'every wrong proof is refused by its own error',
    [
      fc.constantFrom('equivocation', 'invalid_result', 'missed_sla'),
      fc.dictionary(fc.constantFrom('first', 'second', 'vote', 'finality', 'task'), fc.anything()),
    ],
    (kind, proof) => {
      const evidence = parseEvidence({ ...posted(kind), proof })
      expect(() => checkEvidence(resolveProfile(), evidence, context(evidence.subscription_id))).toThrowError(
        EvidenceError,
      )
    },
  )

  test('a missed vote is proved only if its set is known', () => {
    const evidence = parseEvidence(posted('missed_sla'))
    expect(() => checkEvidence(resolveProfile(), evidence, context(evidence.subscription_id))).toThrowError(
      /set is not known/,
    )
  })
})

test('another list of validators or another order of votes is the same offence', () => {
  const [a, b, c, d] = [
    'equivocation',
    'equivocation_in_the_other_order',
    'missed_sla',
    'missed_sla_with_all_validators',
  ].map((name) => offenceKey(parseEvidence(posted(name))))
  expect(a).toBe(b)
  expect(c).toBe(d)
  expect(a).not.toBe(c)
})

test('the network sets the rate for equivocation, and the project sets the others', () => {
  const consensus = { economics: { slashing_bp: { invalid_result: 7, missed_sla: 9 } } } as ProjectRules
  const params = { ...defaultNetworkParams, slash_equivocation_bp: 5 }
  expect(slashRate('equivocation', consensus, params)).toBe(5)
  expect(slashRate('invalid_result', consensus, params)).toBe(7)
  expect(slashRate('missed_sla', consensus, params)).toBe(9)
})

property(
  'a slash never takes more than is bonded',
  [fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat(10_000)],
  (bonded, bp) => {
    expect(BigInt(slashAmount(String(bonded), bp)) <= bonded).toBe(true)
  },
)
