import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { deriveNodeId, resolveProfile } from '../identity/index.ts'
import { type KeyPair, validators } from '../testing/agreement/network.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { quorum } from './quorum.ts'
import {
  findGenerationProblem,
  GenerationError,
  generationAt,
  generationKeys,
  generationSigners,
  hashGeneration,
  isEmergencyGeneration,
  noGenerationHash,
  parseGeneration,
  parseSignedGeneration,
  type SignedGeneration,
  signGeneration,
  type ValidatorGeneration,
} from './validator-generation.ts'

describeVectors('validator-generation')

const profile = resolveProfile()
const coordinator: KeyPair = { seed: hashText('coordinator'), key: '' }
const coordinatorKey = signGeneration(profile, coordinator.seed, first(validators)).public_key

function documentOf(
  previous: ValidatorGeneration | null,
  effectiveAt: number,
  members: readonly KeyPair[],
): ValidatorGeneration {
  return {
    v: 1,
    network: profile.network,
    generation: previous === null ? 0 : previous.generation + 1,
    effective_at: effectiveAt,
    prev_hash: previous === null ? noGenerationHash : hashGeneration(profile, previous),
    validators: members.map(({ key }) => ({ public_key: key, node_id: deriveNodeId(profile, key) })),
  }
}

function first(members: readonly KeyPair[]): ValidatorGeneration {
  return documentOf(null, 0, members)
}

const sign = (document: ValidatorGeneration, signers: readonly KeyPair[]): SignedGeneration => ({
  document,
  coordinator: signGeneration(profile, coordinator.seed, document),
  signatures: signers.map(({ seed }) => signGeneration(profile, seed, document)),
})

/** Members in the order of their keys, which is the order of `validators`. */
const members = fc.subarray([...validators], { minLength: 1 })

describe('findGenerationProblem', () => {
  const steps = fc.record({
    before: members,
    after: members,
    signers: fc.shuffledSubarray([...validators]),
    time: fc.constantFrom(0, 1, 1_800_000_000),
  })

  property(
    'a generation follows exactly when a quorum signed it: of those before, and in an emergency of those that stay',
    [steps],
    ({ before, after, signers, time }) => {
      const previous = first(before)
      const next = documentOf(previous, time, after)
      const counting = time === 0 ? before.filter((one) => after.includes(one)) : before
      const count = signers.filter((one) => counting.includes(one)).length
      const problem = findGenerationProblem(
        profile,
        previous,
        sign(next, [...signers, ...signers]),
        coordinatorKey,
      )
      expect(isEmergencyGeneration(previous, next)).toBe(time === 0)
      expect(generationSigners(previous, next)).toEqual(counting.map(({ key }) => key))
      if (counting.length === 0) expect(problem).toBe('keeps_nobody')
      else expect(problem).toBe(count >= quorum(counting.length) ? null : 'no_quorum')
    },
    { numRuns: 40 },
  )

  property(
    'of two ordinary successors of a generation, honest validators that sign once let only one follow',
    [steps],
    ({ before, after, signers }) => {
      const previous = first(before)
      const others = validators.filter((one) => !signers.includes(one))
      const follows = (next: ValidatorGeneration, by: readonly KeyPair[]) =>
        findGenerationProblem(profile, previous, sign(next, by), coordinatorKey) === null
      expect(
        follows(documentOf(previous, 10, after), signers) && follows(documentOf(previous, 20, after), others),
      ).toBe(false)
    },
    { numRuns: 30 },
  )

  test.each([
    ['the network', { network: 'another' }],
    ['the number', { generation: 2 }],
    ['the time', { effective_at: 11 }],
    ['the previous hash', { prev_hash: hashText('another') }],
    ['the validators', { validators: first(validators.slice(0, 2)).validators }],
  ])('signatures cover %s', (_, change) => {
    const previous = first(validators.slice(0, 4))
    const signed = sign(documentOf(previous, 10, validators.slice(0, 5)), validators.slice(0, 4))
    const of = (document: ValidatorGeneration) =>
      findGenerationProblem(profile, previous, { ...signed, document }, coordinatorKey)
    expect(of(signed.document)).toBeNull()
    expect(of({ ...signed.document, ...change })).not.toBeNull()
  })
})

describe('generationAt', () => {
  /** Times at which each generation takes effect; one before an earlier one is an emergency. */
  const chains = fc
    .array(fc.integer({ min: 0, max: 20 }), { maxLength: 6 })
    .map((times) => [0, ...times].map((effective_at, generation) => ({ generation, effective_at })))

  property(
    'ordinary generations to come change nothing that is in force, and an emergency one replaces everything from its time on',
    [chains, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 25 })],
    (chain, effective_at, time) => {
      const next = { generation: chain.length, effective_at }
      const found = generationAt([next, ...chain], time)
      expect(found).toEqual(time >= effective_at ? next : generationAt(chain, time))
    },
  )
})

property('anything that is no generation is refused by its own error', [fc.anything()], (value) => {
  expect(() => parseGeneration(profile, value)).toThrowError(GenerationError)
  expect(() => parseSignedGeneration(profile, value)).toThrowError(GenerationError)
})

test('a generation has at most 1,024 validators', () => {
  const keys = Array.from({ length: 1_025 }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`)
  const of = (count: number) =>
    documentOf(
      null,
      0,
      keys.slice(0, count).map((key) => ({ key, seed: '' })),
    )
  expect(generationKeys(parseGeneration(profile, of(1_024)))).toHaveLength(1_024)
  expect(() => parseGeneration(profile, of(1_025))).toThrowError(GenerationError)
})
