import { beforeAll, describe, expect, test } from 'vitest'
import { defaultNetworkParams } from '../../../protocol/identity/index.ts'
import known from '../../../protocol/vectors/evidence.json'
import { bodyOf, client, expectAnswer } from '../../test/client.ts'
import { forgetCase, hubOf, knowCase } from '../../test/evidence-case.ts'
import { type Json, knownAnswers } from '../../test/known-answers.ts'
import { readStored } from '../../test/stored.ts'

/** Of equivocation the network says what it costs. */
const isOfNetwork = ({ evidence, bp }: Json): boolean =>
  evidence.kind !== 'equivocation' || bp === defaultNetworkParams.slash_equivocation_bp

const cases = knownAnswers(known).filter(({ input }) => isOfNetwork(input))
const valid = cases.filter(({ output }) => output.error === undefined)
const invalid = cases.filter(({ output }) => output.error !== undefined)

/** The rule that a refusal names. */
const rules: Record<string, string> = {
  equivocation_with_one_result: 'both votes agree',
  equivocation_of_two_nodes: 'a vote is of another node',
  equivocation_over_two_rounds: 'a vote is of another round',
  equivocation_with_forged_vote: 'the key, the node id or a signature does not verify',
  invalid_result_not_audited: 'no validator ran the task itself',
  invalid_result_of_the_right_result: 'the vote agrees with the record',
  invalid_result_without_quorum: 'the finality list has no quorum',
  invalid_result_from_former_validators: 'its key is not a current validator',
  invalid_result_of_another_set: 'the record is of another set',
  invalid_result_of_another_round: 'the record is of another round',
  invalid_result_of_two_records: 'the finality list is over several records',
  invalid_result_list_descends: 'the finality list does not ascend',
  invalid_result_list_repeats: 'the finality list does not ascend',
  missed_sla_of_a_voter: 'the node voted',
  missed_sla_of_a_backup: 'the node is not a primary of the task',
  missed_sla_of_an_outsider: 'the node is not a primary of the task',
  missed_sla_of_another_task: 'the task is of another round',
  missed_sla_of_another_set: 'the record is of another set',
  missed_sla_with_malformed_task: 'the task is malformed',
  missed_sla_over_another_snapshot: 'the set is not known',
  missed_sla_list_descends: 'the finality list does not ascend',
  another_project: 'has published no version with the consensus',
  another_epoch: 'the task is of another project, epoch or consensus',
  another_consensus: 'has published no version with the consensus',
  another_subscription: 'The subscription is not that of the key',
  another_node: 'a vote is of another node',
  proof_of_another_kind: 'its proof does not have exactly first, second',
  proof_with_further_member: 'its proof does not have exactly first, second',
  finality_as_object: 'the finality list has no quorum',
  unknown_kind: 'kind: must be one of',
  another_version: 'v: must be 1',
  further_member: 'note: is not a known field',
  proof_as_list: 'proof: must be an object',
  malformed_round: 'round_id: must be a round id',
}

beforeAll(forgetCase)

describe('POST /v1/slashes', () => {
  test.each(valid)('$name is recorded, and returned unchanged', async ({ input, output }) => {
    await knowCase(input)
    const hub = client(hubOf(input.snapshot))
    const answer = await hub.post('/v1/slashes', input.evidence)
    const body: Json = await answer.json()
    expect([answer.status, body]).toMatchObject([
      201,
      { evidence_hash: output.evidence_hash, amount: output.amount, bp: input.bp },
    ])
    expect(await bodyOf(hub.get(`/v1/slashes/${output.evidence_hash}`))).toEqual({
      ...body,
      evidence: input.evidence,
    })
    await forgetCase()
  })

  test.each(invalid)(
    '$name is refused with the rule that it breaks, and nothing is stored',
    async ({ name, input, output }) => {
      await knowCase(input)
      const before = await readStored()
      await expectAnswer(
        client(hubOf(input.snapshot)).post('/v1/slashes', input.evidence),
        output.error === 'invalid_field' ? 400 : 422,
        { error: output.error, message: expect.stringContaining(rules[name] ?? 'a rule of this table') },
      )
      expect(await readStored()).toEqual(before)
    },
  )
})
