import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { addressSubject } from '../../../protocol/encoding/index.ts'
import type { Env } from '../../env.ts'
import { services } from '../../services.ts'
import { createNode, signIn } from '../../test/callers.ts'
import { bodyOf, client, expectRefusal, freshAddress } from '../../test/client.ts'
import { setValidators } from '../../test/validators.ts'

const chain = new FakeChain()
chain.callAnswer = 10n ** 30n
beforeEach(() => {
  chain.install()
})

/** At an address of its own, because few drips are for one. */
const caller = async (bindings: Partial<Env> = {}) => {
  const { token, address } = await signIn()
  const { get, post } = client({ token, address: freshAddress(), bindings })
  return { address, get, drip: () => post('/v1/faucet/drip') }
}

describe('POST /v1/faucet/drip', () => {
  test('202: tokens and native currency, each in a separate transaction', async () => {
    const { drip, address } = await caller()
    const response = await drip()
    expect(response.status).toBe(202)
    const [token, native] = chain.received.slice(-2)
    expect(await response.json()).toEqual({
      tx_hash: token?.hash,
      amount: '1000000000000000000000',
      eth_tx_hash: native?.hash,
      eth_amount: '10000000000000000',
      next_eligible_at: expect.any(Number),
    })
    expect(native?.to).toBe(address)
  })

  test('a wallet whose code burns gas gets only tokens', async () => {
    const { drip } = await caller()
    chain.gas = 100_001
    const response = await drip()
    chain.gas = 50_000
    expect(response.status).toBe(202)
    const body = await response.json()
    expect(body).toMatchObject({ amount: '1000000000000000000000', eth_amount: '0' })
    expect(body).not.toHaveProperty('eth_tx_hash')
  })

  test('503 unavailable: no contracts, no relayer key, or a closed faucet', async () => {
    const settings: [Partial<Env>, RegExp][] = [
      [{ CHAIN_CONTRACTS: undefined as never }, /The faucet is not configured: .* lack/],
      [{ RELAYER_PRIVATE_KEY: undefined as never }, /The faucet is not configured: .* lack/],
      [{ FAUCET_ENABLED: 'false' }, /have closed the faucet/],
    ]
    for (const [bindings, message] of settings) {
      const { drip, get } = await caller(bindings)
      const refused = await expectRefusal(drip(), '503 unavailable', {
        message: expect.stringMatching(message),
      })
      expect(refused.message).not.toContain('shortly')
      expect(refused.headers.get('retry-after')).toBe('3600')
      expect(await bodyOf(get('/v1/faucet'))).toMatchObject({ enabled: false, eligible: false })
    }
  })

  test('503 no_validators: the network has no validators and the faucet requires one', async () => {
    const { drip } = await caller({ FAUCET_REQUIRES_VALIDATORS: 'true' })
    await expectRefusal(drip(), '503 no_validators')
    await setValidators([createNode()])
    expect((await drip()).status).toBe(202)
  })

  test('503 faucet_empty: the drips of the day are used up; the wallet must still wait', async () => {
    const few = { FAUCET_DRIPS_PER_DAY: '1', PROFILE: '{"network":"small"}' }
    expect((await (await caller(few)).drip()).status).toBe(202)
    const { drip, get } = await caller(few)
    await expectRefusal(drip(), '503 faucet_empty', {
      details: { next_eligible_at: expect.any(Number) },
    })
    expect(await bodyOf(get('/v1/faucet'))).toMatchObject({ eligible: false })
  })

  test('a drip whose transfer failed on chain can be retried at once', async () => {
    const { drip } = await caller()
    const first = await drip()
    const id = first.headers.get('location')?.split('/').at(-1) ?? ''
    await expectRefusal(drip(), '429 rate_limited')
    const relayer = env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`)
    await runInDurableObject(relayer, (_, state) =>
      state.storage.sql.exec(`UPDATE relays SET status = 'reverted' WHERE id = ?`, id).toArray(),
    )
    const again = await drip()
    expect(again.status).toBe(202)
    expect(again.headers.get('location')).not.toBe(first.headers.get('location'))
  })

  test('a drip that a node finally refuses after another node accepted it still starts the cooldown', async () => {
    const { drip } = await caller()
    expect((await drip()).status).toBe(202)
    const relayer = env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`)
    chain.refusal = 'exceeds block gas limit'
    await evictDurableObject(relayer)
    await runDurableObjectAlarm(relayer)
    chain.refusal = null
    await expectRefusal(drip(), '429 rate_limited')
  })

  test.each([
    ['24 hours', 24 * 3_600, {}],
    ['an hour with a cooldown of one hour', 3_600, { FAUCET_COOLDOWN_SECONDS: '3600' }],
  ])('one drip in %s, and then the next', async (_, cooldownSeconds, bindings) => {
    const { token, address } = await signIn()
    const from = freshAddress()
    const { post } = client({ token, address: from, bindings })
    const drip = () => post('/v1/faucet/drip')
    expect((await drip()).status).toBe(202)
    const names = [`wallet:${address}`, `address:${addressSubject(from)}`, 'network:hub-testnet']
    const objects = names.map((name) => env.FAUCET_COOLDOWN.getByName(name))
    /** The turn was taken as much earlier. */
    const age = (seconds: number) =>
      Promise.all(
        objects.map((object) =>
          runInDurableObject(object, (_, state) => {
            const earlier = 'UPDATE turns SET taken_at = taken_at - ?1, expires_at = expires_at - ?1'
            state.storage.sql.exec(earlier, seconds)
          }),
        ),
      )
    await age(cooldownSeconds - 60)
    await expectRefusal(drip(), '429 rate_limited', {
      details: { next_eligible_at: expect.any(Number) },
    })
    await age(60)
    expect((await drip()).status).toBe(202)
  })
})

describe('GET /v1/faucet', () => {
  test('allows shared caches to store the answer for anonymous callers only', async () => {
    const anonymous = await client().get('/v1/faucet')
    expect([anonymous.headers.get('cache-control'), anonymous.headers.get('vary')]).toEqual([
      'public, max-age=10',
      'Authorization, X-Bookmark',
    ])
    const own = await (await caller()).get('/v1/faucet')
    expect([own.headers.get('cache-control'), own.headers.get('vary')]).toEqual([
      'private, no-store',
      'Authorization, X-Bookmark',
    ])
  })
})
