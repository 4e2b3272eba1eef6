import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashSnapshot } from '../../protocol/consensus/index.ts'
import { resolveProfile } from '../../protocol/identity/index.ts'
import { parseEvidence } from '../../protocol/settlement/index.ts'
import known from '../../protocol/vectors/evidence.json'
import { services } from '../services.ts'
import { forgetCase, knowCase } from '../test/evidence-case.ts'
import { type Json, knownAnswers } from '../test/known-answers.ts'
import type { AttestedSets } from './attested-sets.ts'
import { proveOffence } from './evidence.ts'

const profile = resolveProfile()
const cases = knownAnswers(known).filter(({ input }) => input.evidence.kind === 'missed_sla')

beforeEach(forgetCase)

/** The set of the case, and how often it was asked for. */
function setsOf({ snapshot }: Json): { sets: AttestedSets; asked: () => number } {
  let reads = 0
  return {
    sets: {
      attested: async (projectId, epoch) => {
        reads += 1
        const isThere = projectId === snapshot.project_id && epoch === snapshot.epoch
        return isThere ? { snapshot, setHash: hashSnapshot(snapshot) } : null
      },
    },
    asked: () => reads,
  }
}

const prove = (evidence: unknown, committeeSets: AttestedSets) =>
  proveOffence({ ...services(env), committeeSets }, profile, parseEvidence(evidence), 1)

describe('a missed vote, over the attested set', () => {
  test.each(cases)('$name', async ({ input, output }) => {
    await knowCase(input)
    const { sets } = setsOf(input)
    const proven = prove(input.evidence, sets)
    if (output.error !== undefined) return expect(proven).rejects.toMatchObject({ code: output.error })
    expect((await proven).slash).toMatchObject({
      evidenceHash: output.evidence_hash,
      amount: output.amount,
      bp: input.bp,
      closedReason: null,
    })
  })

  const valid: Json = cases.find(({ name }) => name === 'missed_sla')?.input

  test('is not proven where there is no set', async () => {
    await knowCase(valid)
    await expect(prove(valid.evidence, { attested: async () => null })).rejects.toMatchObject({
      code: 'invalid_evidence',
      message: expect.stringContaining('the set is not known'),
    })
  })

  test('has the set read only when nothing else is wrong', async () => {
    await knowCase(valid)
    const { sets, asked } = setsOf(valid)
    const { proof } = valid.evidence
    const [first, ...rest] = proof.finality
    const forged = { ...first, signature: `0x${'11'.repeat(64)}` }
    const wrong = { ...valid.evidence, proof: { ...proof, finality: [forged, ...rest] } }
    await expect(prove(wrong, sets)).rejects.toMatchObject({ code: 'invalid_evidence' })
    expect(asked()).toBe(0)
    await prove(valid.evidence, sets)
    expect(asked()).toBe(1)
  })
})
