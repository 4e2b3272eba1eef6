import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { decodeFunctionData, encodeErrorResult, type Hex } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { stakingAbi } from '../../contracts/generated/contracts.ts'
import { contractErrorsAbi } from '../../contracts/generated/errors.ts'
import type { GaslessPayload, TypedData } from '../../protocol/actions/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { ApiError } from '../errors.ts'
import { Address } from '../http/formats.ts'
import { signTypedData } from '../test/chain.ts'
import { bodyOf, errorOf, expectAnswer, expectInvalid, expectRefusal, freshAddress } from '../test/client.ts'
import { answerGasless } from '../test/handle.ts'
import type { RequestedAction } from './action-calls.ts'
import { prepareOnly, prepareOrSubmit, submitOnly } from './gasless-steps.ts'
import type { PreparedPayload } from './prepare.ts'
import {
  allowed,
  bond,
  example,
  fakeChain,
  freshKey,
  id,
  prepare,
  relayerObject,
  unbond,
} from './testing/fake-chain.ts'

const { chain, finalize } = fakeChain()
const contract = `0x${'c5'.repeat(20)}`
const conflict = (details: object) => ({ status: 409, error: 'conflict', details })
const invalidState = { status: 409, error: 'invalid_state' }
const badSignature = { status: 422, error: 'bad_signature' }
const rateLimited = { status: 429, error: 'rate_limited' }
const unavailable = { status: 503, error: 'unavailable' }

const bothSteps = prepareOrSubmit(example)
const closed = () => {
  throw new ApiError('invalid_state', 'It is closed.')
}

describe('preparePayload', () => {
  test('names the current nonce, and includes a permit only for a bond', async () => {
    const { payload } = await prepare((account) => bond(account, '5'))
    expect(payload).toMatchObject({
      action: 'bond',
      typed_data: {
        primaryType: 'Bond',
        domain: { name: 'Hub Staking', verifyingContract: contract },
        message: { amount: '5', nonce: '7', deadline: String(payload.expires_at) },
      },
      permit: { primaryType: 'Permit', message: { value: '5', nonce: '7', spender: contract } },
    })
    expect((await prepare(unbond)).payload).not.toHaveProperty('permit')
  })

  test('includes the same action as a direct transaction of the owner', async () => {
    const { payload } = await prepare((account) => bond(account, '5'))
    const { direct_tx } = payload as GaslessPayload & { direct_tx: { data: Hex } }
    expect(direct_tx).toMatchObject({ chain_id: 31337, to: contract, value: '0' })
    const call = decodeFunctionData({ abi: stakingAbi, data: direct_tx.data })
    expect(call).toEqual({ functionName: 'bond', args: [id('91'), id('0e'), 5n] })
  })
})

describe('a preview', () => {
  const previewOf = async (request: (account: string) => RequestedAction) =>
    ((await prepare(request)).payload as PreparedPayload).preview
  const silent = { ok: null, reason: expect.stringContaining('Ask again'), cost_wei: null }
  const bonded = (amount: string) => (account: string) => bond(account, amount)
  const error = (errorName: 'ERC20InsufficientBalance' | 'BelowMinimum', ...args: readonly unknown[]) =>
    encodeErrorResult({ abi: contractErrorsAbi, errorName, args } as never)
  const eth = 10n ** 18n

  test('makes four calls to the chain, and six for a bond', async () => {
    const calls: string[] = []
    chain.onCall = (method) => calls.push(method)
    onTestFinished(() => {
      chain.onCall = null
    })
    // The nonces are known: (50,000 + 13,000) gas at 2 gwei.
    expect(await previewOf(unbond)).toMatchObject({ ok: true, reason: null, cost_wei: '126000000000000' })
    expect(calls.sort()).toEqual(['eth_call', 'eth_call', 'eth_estimateGas', 'eth_gasPrice'])
    calls.length = 0
    await previewOf(bonded('5'))
    expect(calls.sort()).toEqual([
      ...['eth_call', 'eth_call', 'eth_call', 'eth_estimateGas', 'eth_estimateGas', 'eth_gasPrice'],
    ])
  })

  test.each([
    [error('BelowMinimum', id('51'), 5n * eth, 6n * eth), /at least 6 \S+ of collateral; .* has 5 \S+\.$/],
    [
      error('ERC20InsufficientBalance', `0x${'0a'.repeat(20)}`, eth / 2n, 6n * eth),
      /holds 0\.5 \S+ of the 6 /,
    ],
    ['0xdeadbeef', /^The contract refuses this: unknown error 0xdeadbeef\.$/],
  ])('contains the revert reason of a contract in words: %s', async (revert, reason) => {
    chain.revert = revert
    const refused = { ok: false, reason: expect.stringMatching(reason), cost_wei: null }
    expect(await previewOf(bonded('5'))).toMatchObject(refused)
  })

  test('never blocks the payload if a node cannot answer', async () => {
    const effects = [
      expect.stringContaining('Starts the unbonding'),
      expect.stringContaining('the collateral'),
    ]
    for (const nonsense of [null, '0x', {}]) {
      chain.nonsense.set('eth_estimateGas', nonsense)
      expect(await previewOf(unbond)).toMatchObject({ ...silent, effects })
    }
    chain.nonsense.clear()
    chain.nonsense.set('eth_gasPrice', 'much')
    expect(await previewOf(unbond)).toMatchObject({ ok: true, cost_wei: null })
    chain.nonsense.clear()
  })

  test('never waits long for a slow node', async () => {
    const effects = [
      expect.stringContaining('Starts the unbonding'),
      expect.stringContaining('the collateral'),
    ]
    const { promise, resolve } = Promise.withResolvers<void>()
    chain.heldTrials = promise
    expect(await previewOf(unbond)).toMatchObject({ ...silent, effects })
    chain.heldTrials = null
    resolve()
  })
})

describe('a route that submits an action', () => {
  test('202 with the state and where to read it; the same action again is the same transaction', async () => {
    const { post } = await prepare(unbond)
    const answers = await Promise.all([post(), post(), post()])
    for (const response of answers) {
      const body = await bodyOf(response)
      expect(response.status).toBe(202)
      expect(response.headers.get('location')).toBe(`/v1/transactions/${body.id}`)
      expect(body).toMatchObject({ action: 'unbond', status: 'queued', error: null, confirmations: 0 })
    }
    // The queue brings it to the chain.
    await vi.waitFor(() => expect(chain.received).toHaveLength(1))
    expect(chain.received[0]).toMatchObject({ to: contract })
    chain.mine()
    await runDurableObjectAlarm(relayerObject())
    chain.callAnswer = 8n
    await expectAnswer(post(), 202, { status: 'confirmed' })
    expect(chain.received).toHaveLength(1)
  })

  test('429 rate_limited: a wallet that has used its relayed actions of the day; nothing is sent', async () => {
    const { post, requested } = await prepare(unbond)
    const limiter = env.RATE_LIMITER.getByName(`relay:${requested.account}`)
    await limiter.take({ limit: 500, windowSeconds: 86_400, tokens: 500 })
    const { length } = chain.received
    const refused = await post()
    expect(await errorOf(refused)).toMatchObject(rateLimited)
    const [limit, remaining] = ['limit', 'remaining'].map((name) => refused.headers.get(`ratelimit-${name}`))
    expect([limit, remaining]).toEqual(['500', '0'])
    expect(chain.received).toHaveLength(length)
  })

  test('an action that is not relayed, or was relayed before, does not count towards the daily limit', async () => {
    const { key, post, requested, payload } = await prepare(unbond)
    const limiter = env.RATE_LIMITER.getByName(`relay:${requested.account}`)
    await limiter.take({ limit: 500, windowSeconds: 86_400, tokens: 499 })
    const signature = signTypedData(freshKey(), payload.typed_data)
    for (let i = 0; i < 2; i++) expect(await errorOf(post({ signature }))).toMatchObject(badSignature)
    chain.revert = '0xdeadbeef'
    for (let i = 0; i < 2; i++) expect(await errorOf(post())).toMatchObject(invalidState)
    chain.revert = null
    for (let i = 0; i < 3; i++) expect((await post()).status).toBe(202)
    const another = await prepare((account) => bond(account, '1'), key)
    expect(await errorOf(another.post())).toMatchObject(rateLimited)
    expect((await post()).status).toBe(202)
  })

  test('400 invalid_field: typed data that differs from what the hub builds, or a deadline that has passed', async () => {
    const { post, payload } = await prepare(unbond)
    const changed = (change: Record<string, string>) => ({
      typed_data: { ...payload.typed_data, message: { ...payload.typed_data.message, ...change } },
    })
    for (const [change, path] of [
      [changed({ subscriptionId: id('52') }), 'typed_data.message.subscriptionId'],
      [changed({ deadline: '1' }), 'typed_data.message.deadline'],
      [{ typed_data: null }, 'typed_data'],
      [{ signature: '0x' }, 'signature'],
      [{ more: 1 }, 'more'],
    ] as const)
      await expectInvalid(post(change), path)
  })

  test('422 bad_signature: the signature of another wallet, for the action or for the permit', async () => {
    const { post, payload } = await prepare((account) => bond(account, '5'))
    const signature = signTypedData(freshKey(), payload.typed_data)
    const permit_signature = signTypedData(freshKey(), payload.permit as TypedData)
    for (const change of [{ signature }, { permit_signature }])
      expect(await errorOf(post(change))).toMatchObject(badSignature)
    expect((await post()).status).toBe(202)
  })

  test('409 conflict: another action of the owner on the same contract is open; the error names it', async () => {
    const first = await prepare(unbond)
    const { id: firstId } = await bodyOf(first.post())
    const second = await prepare((account) => bond(account, '1'), first.key)
    expect(await errorOf(second.post())).toMatchObject(conflict({ transaction_id: firstId }))
  })

  test('an action that would revert is refused with the reason and its code, and is not sent', async () => {
    const before = chain.received.length
    // SignatureExpired(1): the chain's clock is ahead of the hub's.
    chain.revert = `0xcd21db4f${'1'.padStart(64, '0')}`
    expect(await errorOf((await prepare(unbond)).post())).toMatchObject({
      ...badSignature,
      details: { reason: 'SignatureExpired' },
    })
    chain.revert = '0xdeadbeef'
    expect(await errorOf((await prepare(unbond)).post())).toMatchObject(invalidState)
    expect(chain.received).toHaveLength(before)
  })

  test('409 conflict: a used nonce, also if the node does not know who submitted the action', async () => {
    const { post } = await prepare(unbond)
    const args = [`0x${'0a'.repeat(20)}`, 8n] as const
    chain.revert = encodeErrorResult({ abi: contractErrorsAbi, errorName: 'InvalidAccountNonce', args })
    for (const logs of [[], null]) {
      chain.nonsense.set('eth_getLogs', logs)
      expect(await errorOf(post())).toMatchObject(conflict({ reason: 'nonce', current_nonce: '8' }))
    }
    chain.nonsense.clear()
  })

  test('429 rate_limited: one client address has the chain searched for refused actions 60 times a minute at most', async () => {
    const asked: string[] = []
    chain.onCall = (method) => asked.push(method)
    onTestFinished(() => {
      chain.onCall = null
    })
    const { requested, body } = await prepare(unbond)
    const address = freshAddress()
    const send = () =>
      answerGasless(submitOnly(example), { ...requested, requireState: closed }, body, env, address)
    for (let calls = 0; calls < 60; calls++) expect(await errorOf(send())).toMatchObject(invalidState)
    expect(await errorOf(send())).toMatchObject(rateLimited)
    expect(asked.filter((method) => method === 'eth_getLogs')).toHaveLength(60)
  })

  test('429 rate_limited: one client address has 200 payloads or signed actions tried a minute at most', async () => {
    const { requested, body } = await prepare(unbond)
    chain.revert = '0xdeadbeef'
    const address = freshAddress()
    const send = (posted?: object) =>
      answerGasless(bothSteps, { ...requested, requireState: allowed }, posted, env, address)
    for (let calls = 0; calls < 100; calls++) {
      expect((await send()).status).toBe(200)
      expect(await errorOf(send(body))).toMatchObject(invalidState)
    }
    for (const posted of [undefined, body]) expect(await errorOf(send(posted))).toMatchObject(rateLimited)
  })

  test('503 unavailable: while the chain is down, no action is accepted', async () => {
    const { post } = await prepare(unbond)
    const before = chain.received.length
    chain.down = true
    expect(await errorOf(post())).toMatchObject(unavailable)
    expect(chain.received).toHaveLength(before)
  })
})

describe('a route that prepares and submits', () => {
  const payoutRequest = z.strictObject({ payout: Address.nullable() })
  /** A wallet that changes where its rewards go. */
  const payoutOf = (key = freshKey()) => {
    const account = evmAddress(key)
    const send = (body?: unknown) =>
      answerGasless(
        prepareOrSubmit(example, payoutRequest),
        {
          ...{ action: 'set_payout', account, message: { owner: account, subscriptionId: id('51') } },
          requireState: allowed,
          requested: (request) => ({ payout: request.payout ?? account }),
        },
        body,
      )
    const signedTo = async (payout = account) => {
      const { typed_data } = await bodyOf<GaslessPayload>(send({ payout }))
      return { typed_data, signature: signTypedData(key, typed_data) }
    }
    return { key, account, send, signedTo }
  }

  test('200 with the prepared payload, 202 for its signed typed data', async () => {
    const { key, account, send } = payoutOf()
    const target = `0x${'0f'.repeat(20)}`
    const prepared = await send({ payout: target })
    const { typed_data } = await bodyOf<GaslessPayload>(prepared)
    expect([prepared.status, typed_data.message]).toMatchObject([200, { owner: account, payout: target }])
    await expectAnswer(send({ typed_data, signature: signTypedData(key, typed_data) }), 202, {
      action: 'set_payout',
    })
  })

  test('429 rate_limited: a wallet that has used its payout changes of the day; each one counts once', async () => {
    const { send, signedTo } = payoutOf()
    const change = async (index: number) => {
      const body = await signedTo(`0x${index.toString(16).padStart(40, '0')}`)
      return { body, answer: await send(body) }
    }
    const first = await change(1)
    for (let index = 2; index <= 10; index++) {
      await finalize()
      expect((await change(index)).answer.status).toBe(202)
      expect((await send(first.body)).status).toBe(202)
    }
    await finalize()
    const refused = await errorOf((await change(11)).answer)
    const renewsAt = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400
    const details = { reason: 'relay_allowance', action: 'set_payout', per_day: 10, renews_at: renewsAt }
    expect(refused).toMatchObject({ ...rateLimited, details })
    expect(refused.message).toContain(new Date(renewsAt * 1000).toISOString().slice(0, 16))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await send(first.body)).status).toBe(202)
  })

  test('503 unavailable: the daily gas for all wallets is used up', async () => {
    const { send, signedTo } = payoutOf()
    const body = await signedTo()
    const add = (gas: number) =>
      runInDurableObject(relayerObject(), (_, { storage }) =>
        storage.sql.exec('UPDATE gas_days SET gas = gas + ?', gas).toArray(),
      )
    await add(10 ** 9)
    const details = { reason: 'relay_gas', renews_at: expect.any(Number) }
    expect(await errorOf(send(body))).toMatchObject({ ...unavailable, details })
    await add(-(10 ** 9))
    expect((await send(body)).status).toBe(202)
  })

  test('429 rate_limited, 409 invalid_state: a contract wallet whose actions use too much gas', async () => {
    const { account, send, signedTo } = payoutOf()
    const post = async () => send(await signedTo())
    onTestFinished(() => {
      chain.gas = 50_000
    })
    chain.gas = 600_001
    const tooMuch = { reason: 'relay_gas_limit', gas: 600_001, gas_max: 600_000 }
    const message = expect.stringContaining('`direct_tx`')
    expect(await errorOf(post())).toMatchObject({ ...invalidState, message, details: tooMuch })
    chain.gas = 600_000
    expect((await post()).status).toBe(202)
    await finalize()
    // The nonce after the first action: with the same one, both would be the same action within one second.
    chain.callAnswer = 8n
    await runInDurableObject(relayerObject(), (_, { storage }) =>
      storage.sql.exec('UPDATE owner_gas SET gas = 49500000 WHERE owner = ?', account).toArray(),
    )
    const usedUp = { reason: 'relay_wallet_gas', renews_at: expect.any(Number) }
    expect(await errorOf(post())).toMatchObject({ ...rateLimited, details: usedUp })
  })

  test('a prepare step without parameters accepts no body, an empty one, or an empty object', async () => {
    const account = evmAddress(freshKey())
    const ask = (body?: unknown) =>
      answerGasless(bothSteps, { ...unbond(account), requireState: allowed }, body)
    for (const body of [undefined, '', ' ', {}]) expect((await ask(body)).status).toBe(200)
    await expectRefusal(ask({ payout: account }), '400 invalid_field')
    await expectRefusal(ask('{'), '400 bad_request')
  })

  test('409 invalid_state has priority over any error in the body', async () => {
    const { requested, body } = await prepare(unbond)
    for (const steps of [
      bothSteps,
      submitOnly(example),
      prepareOnly(example, payoutRequest, { payout: null }),
    ])
      for (const posted of [undefined, '{', { more: 1 }, { ...body, signature: '0x' }, body])
        expect(
          await errorOf(answerGasless<unknown>(steps, { ...requested, requireState: closed }, posted)),
        ).toMatchObject(invalidState)
  })

  test('if an action already changed the state, submitting it again still shows its result', async () => {
    const { requested, body, post } = await prepare(unbond)
    const first = await bodyOf(post())
    await expectAnswer(answerGasless(bothSteps, { ...requested, requireState: closed }, body), 202, {
      id: first.id,
    })
  })

  test('the state of the record is checked once', async () => {
    const { requested, body } = await prepare(unbond)
    const requireState = vi.fn()
    expect((await answerGasless(bothSteps, { ...requested, requireState }, body)).status).toBe(202)
    expect(requireState).toHaveBeenCalledTimes(1)
  })
})
