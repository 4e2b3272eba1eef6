import { describe, expect, test } from 'vitest'
import { isBytes32, ProblemList } from '../../../../protocol/encoding/index.ts'
import { defaultNetworkParams } from '../../../../protocol/identity/index.ts'
import known from '../../../../protocol/vectors/manifest-validation.json'
import { manifestToJudge } from '../../../../protocol/vectors/runners/manifest.ts'
import { signIn } from '../../../test/callers.ts'
import { bodyOf, client } from '../../../test/client.ts'
import { type Json, knownAnswers } from '../../../test/known-answers.ts'

const cases = knownAnswers(known)
const rewardToken = manifestToJudge(cases[0]?.input, { cases }).manifest.consensus.economics.reward_token

/** A hub has all contracts or none, and the parameters of its network. */
const hubs = cases
  .map((one) => ({ ...one, ...manifestToJudge(one.input, { cases }) }))
  .filter(({ context }) => context.contracts === null || context.contracts.vault_implementation !== null)
  .filter(({ name }) => name !== 'fee_split_treasury_below_minimum')

const { token } = await signIn()

describe('POST /v1/developers/projects/prepare', () => {
  test.each(hubs)('$name', async ({ manifest, context, output }) => {
    const caller = client({ token, bindings: bindingsOf(context) })
    const answer: Json = await bodyOf(caller.post('/v1/developers/projects/prepare', { manifest }))
    const expected = new ProblemList([...output.problems, ...unknownWorker(manifest)]).sorted()
    expect(answer.problems.map(({ path, code }: Json) => ({ path, code }))).toEqual(expected)
    expect(answer.valid).toBe(expected.length === 0)
  })

  test('the default parameters of the network have no minimum treasury share', () => {
    expect(defaultNetworkParams.treasury_bp_min).toBe(0)
  })
})

/** The problem that the hub adds: nobody has uploaded the worker. */
const unknownWorker = (manifest: Json): Json[] =>
  isBytes32(manifest?.consensus?.modules?.worker)
    ? [{ path: 'consensus.modules.worker', code: 'invalid_value' }]
    : []

function bindingsOf({ network, chain_id, base_url, contracts }: Json) {
  const others = ['faucet', 'project_registry', 'staking', 'treasury']
  return {
    BASE_URL: base_url,
    LOCAL_NETWORK: String(!base_url.startsWith('https:')),
    PROFILE: JSON.stringify({ network, chain_id }),
    ...(contracts && {
      CHAIN_CONTRACTS: JSON.stringify({
        ...Object.fromEntries(others.map((name, i) => [name, `0x${`c${i}`.repeat(20)}`])),
        ...contracts,
        token: rewardToken,
      }),
    }),
  }
}
