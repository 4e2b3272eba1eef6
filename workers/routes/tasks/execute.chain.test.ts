import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashText } from '../../../protocol/encoding/index.ts'
import { createReceipt } from '../../../protocol/execution/index.ts'
import { resolveProfile } from '../../../protocol/identity/index.ts'
import { createExecutionVote } from '../../../protocol/rounds/index.ts'
import { budgets } from '../../middleware/budgets.ts'
import { services } from '../../services.ts'
import { bodyOf, client, errorOf, expectRefusal, freshAddress } from '../../test/client.ts'
import { uploadModule } from '../../test/project.ts'
import { createKey, isKept, SimulatedRounds, setEffective } from '../../test/rounds.ts'
import { rowOf } from '../../test/tables.ts'

const rounds = new SimulatedRounds()
const profile = resolveProfile()

describe('POST /v1/execute', () => {
  let module: string
  let name: string
  beforeAll(async () => {
    await rounds.begin()
    const { address, functions } = await uploadModule(rounds.developer!)
    ;[module, name] = [address, functions[0] ?? '']
  })
  beforeEach(() => rounds.install())

  /** Has a validator answer as nodes do. */
  const runs = (salts: readonly string[], failure?: { error: string | undefined }) => {
    for (const [i, validator] of rounds.validators.entries())
      validator.instead = (at, body) => {
        const salt = salts[i]
        if (at !== '/execute' || salt === undefined) return new Response(null, { status: 503 })
        const { round, input_b64 } = body as { round: never; input_b64: string }
        const input = new Uint8Array(Buffer.from(input_b64, 'base64'))
        const output = new TextEncoder().encode(`${salt}${new TextDecoder().decode(input)}`)
        const { module_address, function: called } = round as { module_address: string; function: string }
        const run = {
          module_address,
          function: called,
          input,
          output,
          events: [],
          gas_used: 9,
          success: failure === undefined,
        }
        const receipt = createReceipt(run)
        const payout_address = `0x${'a1'.repeat(20)}`
        const vote = createExecutionVote(profile, validator.node.key, { round, receipt, payout_address })
        return Response.json({
          success: run.success,
          output: failure ? null : new TextDecoder().decode(output),
          ...failure,
          events: [],
          receipt,
          vote,
        })
      }
  }
  const ask = (body: object = {}, caller = client()) =>
    caller.post('/v1/execute', { module, function: name, input: 'hi', ...body })

  test('returns the result of a quorum, even if other validators differ', async () => {
    runs(['', '', 'lie ', ''])
    const answer = await bodyOf(ask())
    expect(answer).toMatchObject({
      success: true,
      output: 'hi',
      gas_used: 9,
      events: [],
      consensus: { state: 'finalized', quorum: 3 },
      error: null,
    })
    expect(await services(env).rounds.find(answer.round_id)).toMatchObject({
      kind: 'exec',
      state: 'finalized',
      committeeSize: 4,
      receiptHash: answer.receipt_hash,
    })
    expect(
      (await services(env).roundFiles.directRound(answer.round_id))?.exec_votes.length,
    ).toBeGreaterThanOrEqual(3)
  })

  test('503 unavailable: no quorum agrees on a receipt', async () => {
    runs(['', '', 'lie '])
    const refused = await expectRefusal(ask(), '503 unavailable', {
      details: { votes: 3, quorum: 3 },
    })
    expect(refused.headers.get('retry-after')).toBe('5')
  })

  test('404 not_found, 400 invalid_field, 413 too_large, 403 scope_missing, 503 no_validators', async () => {
    await expectRefusal(ask({ module: hashText('nothing') }), '404 not_found')
    await expectRefusal(ask({ function: 'nothing' }), '400 invalid_field')
    await expectRefusal(ask({ input: 'x'.repeat(1_048_577) }), '413 too_large')
    const key = await createKey(rounds.developer!.client, rounds.projectId, ['projects:read'])
    await expectRefusal(ask({}, client({ token: key })), '403 scope_missing')
    await setEffective(Number.MAX_SAFE_INTEGER)
    const refused = await errorOf(ask())
    await setEffective(0)
    expect(refused).toMatchObject({ status: 503, error: 'no_validators' })
  })

  test.each([
    ['aborted: no\nkey', 'aborted: no\\u000akey'],
    [undefined, 'failed'],
  ])('returns the error of a failed run for a validator that reports %j', async (said, error) => {
    runs(['', '', '', ''], { error: said })
    const answer = await bodyOf(ask({ input: `fails ${said}` }))
    expect(answer).toMatchObject({ success: false, output: '', error })
    expect(await services(env).rounds.find(answer.round_id)).toMatchObject({
      state: 'finalized',
      error: said === undefined ? null : error,
    })
  })

  test('returns large values without storing them, and counts the stored bytes', async () => {
    runs(['', '', '', ''])
    const input = 'x'.repeat(5_000)
    const { round_id, output } = await bodyOf(ask({ input }))
    expect(output).toBe(input)
    expect(await isKept(input)).toBe(false)
    expect(await services(env).rounds.find(round_id)).toMatchObject({ input: null, output: null })
    const kept = await rowOf<{ bytes: number }>(
      'SELECT bytes FROM direct_rounds WHERE round_id = ?',
      round_id,
    )
    expect(kept?.bytes).toBeGreaterThan(2_000)
  })

  test('403 forbidden if the hub has turned it off, and 400 above the gas limit of a round', async () => {
    const off = client({ bindings: { DIRECT_ROUNDS_ENABLED: 'false' } })
    await expectRefusal(ask({}, off), '403 forbidden', {
      details: { reason: 'turned_off' },
    })
    const small = client({ bindings: { DIRECT_GAS_MAX: '1000' } })
    await expectRefusal(ask({ gas_limit: 1_001 }, small), '400 invalid_field', {
      message: expect.stringContaining('at most 1000'),
    })
  })

  test('429 rate_limited: the gas of one address; unused gas is returned', async () => {
    const body = { gas_limit: 1_000_000_000 }
    runs(['', '', '', ''])
    const caller = client({ address: freshAddress() })
    for (let i = 0; i < 5; i++) expect((await ask(body, caller)).status).toBe(200)
    // Without a result, all of it may have been used.
    runs([])
    for (let i = 0; i < 2; i++) expect((await ask(body, caller)).status).toBe(503)
    await ask(body, caller)
    await expectRefusal(ask(body, caller), '429 rate_limited')
  })

  test('429 rate_limited: 30 a minute from one address', async () => {
    const caller = client({ address: freshAddress() })
    const nothing = () => ask({ module: hashText('nothing') }, caller)
    for (let i = 0; i < 30; i++) expect((await nothing()).status).toBe(404)
    await expectRefusal(nothing(), '429 rate_limited')
  })
  test('429 rate_limited: the budget of all callers together', async () => {
    runs(['', '', '', ''])
    const tokens = budgets.execute_kib.total
    await env.RATE_LIMITER.getByName('execute_kib:everybody').take({
      limit: tokens,
      windowSeconds: 30,
      tokens,
    })
    // The tokens that this isolate took before are enough for only a few rounds of this size.
    const large = { input: 'x'.repeat(1_000_000) }
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await ask(large, client({ address: freshAddress() }))).status)
    expect(statuses.at(-1)).toBe(429)
  })
})
