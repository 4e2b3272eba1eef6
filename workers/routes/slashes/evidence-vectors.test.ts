import { beforeEach, describe, expect, test } from 'vitest'
import { defaultNetworkParams } from '../../../protocol/identity/index.ts'
import known from '../../../protocol/vectors/evidence.json'
import { client } from '../../test/client.ts'
import { forgetCase, knowCase } from '../../test/evidence-case.ts'
import { type Json, knownAnswers } from '../../test/known-answers.ts'

/** Of equivocation the network says what it costs. */
const isOfNetwork = ({ evidence, bp }: Json): boolean =>
  evidence.kind !== 'equivocation' || bp === defaultNetworkParams.slash_equivocation_bp

/** A missed vote is held against the attested set, which `workers/settlement` is given in its own test. */
const posted = knownAnswers(known).filter(
  ({ input }) => isOfNetwork(input) && input.evidence.kind !== 'missed_sla',
)

beforeEach(forgetCase)

describe('POST /v1/slashes', () => {
  test.each(posted)('$name', async ({ input, output }) => {
    await knowCase(input)
    const answer = await client().post('/v1/slashes', input.evidence)
    const body: Json = await answer.json()
    if (output.error !== undefined)
      return expect([answer.status, body.error]).toEqual([
        output.error === 'invalid_field' ? 400 : 422,
        output.error,
      ])
    expect([answer.status, body.evidence_hash, body.amount, body.bp]).toEqual([
      201,
      output.evidence_hash,
      output.amount,
      input.bp,
    ])
  })
})
