import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { relayRequest } from '../../../durable-objects/testing/relay-request.ts'
import { services } from '../../services.ts'
import { atOnce, bodyOf, client, expectAnswer, expectRefusal, freshAddress } from '../../test/client.ts'
import { failingDatabase } from '../../test/failing-database.ts'
import { runSql } from '../../test/tables.ts'

const chain = new FakeChain()
beforeEach(() => {
  chain.install()
  chain.down = false
  chain.received.length = 0
})

const relayerObject = () => env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`)
/** The relayer uses its last view of the chain for a moment; this drops that view. */
const forgetView = () => evictDurableObject(relayerObject())

/** Bindings of its own make an isolate that has kept no report. */
const status = (caller = client({ bindings: {} })) => bodyOf(caller.get('/v1/status'))

describe('GET /', () => {
  test('names the chain, its contracts and its public RPC URL', async () => {
    const bindings = {
      CHAIN_NAME: 'Local chain',
      CHAIN_PUBLIC_RPC_URL: 'http://127.0.0.1:8545/',
      EXPLORER_URL: 'https://explorer.example/',
    }
    expect(await bodyOf(client({ bindings }).get('/'))).toMatchObject({
      features: { modules: true, 'sign-in': true, relay: true, faucet: true },
      hosts: { rpc: 'http://127.0.0.1:8545/' },
      chain: {
        id: 31337,
        name: 'Local chain',
        coin: { symbol: 'ETH', name: 'Ether', decimals: 18 },
        rpc_url: 'http://127.0.0.1:8545/',
        explorer: 'https://explorer.example/',
        registry: `0x${'c2'.repeat(20)}`,
        token: `0x${'c0'.repeat(20)}`,
        contracts: {
          hub_token: `0x${'c0'.repeat(20)}`,
          faucet: `0x${'c1'.repeat(20)}`,
          project_registry: `0x${'c2'.repeat(20)}`,
          vault_factory: `0x${'c3'.repeat(20)}`,
          vault_implementation: `0x${'c4'.repeat(20)}`,
          staking: `0x${'c5'.repeat(20)}`,
          treasury: `0x${'c6'.repeat(20)}`,
        },
      },
    })
  })
})

test('CHAIN_COIN sets the names of the coin of the chain in all answers', async () => {
  const bindings = { CHAIN_COIN: '{"symbol":"POL","name":"Pol"}' }
  const coin = { symbol: 'POL', name: 'Pol', decimals: 18 }
  expect(await bodyOf(client({ bindings }).get('/'))).toMatchObject({ chain: { coin } })
  const { balances } = await bodyOf(client({ bindings }).get(`/v1/accounts/0x${'a1'.repeat(20)}/balances`))
  expect(balances[0].token).toEqual({ address: `0x${'00'.repeat(20)}`, ...coin })
  const wrong = await bodyOf(client({ bindings: { CHAIN_COIN: '{"decimals":6}' } }).get('/'))
  expect(wrong.message).toContain('CHAIN_COIN')
})

describe('the features of GET /', () => {
  const faucet = async (caller = client({ bindings: {} })) => (await bodyOf(caller.get('/'))).features.faucet

  test('include the faucet while operators keep it open', async () => {
    const set = (enabled: number) =>
      runSql('INSERT OR REPLACE INTO faucet_settings (id, enabled, updated_at) VALUES (1, ?, 1)', enabled)
    await set(0)
    expect(await faucet()).toBe(false)
    // Without the database, the settings of the deployment decide.
    const down = client({ bindings: { DB: failingDatabase(() => true) } })
    expect(await faucet(down)).toBe(true)
    await set(1)
    // An isolate keeps its answer for five seconds; each call here is from another isolate.
    expect(await faucet()).toBe(true)
    await runSql('DELETE FROM faucet_settings')
    expect(await faucet(client({ bindings: { FAUCET_ENABLED: 'false' } }))).toBe(false)
  })
})

describe('GET /v1/status', () => {
  test('shows the last indexed block, and that the relayer works', async () => {
    await services(env).indexer?.wake()
    await runDurableObjectAlarm(env.CHAIN_INDEXER.getByName('31337'))
    expect(await status()).toMatchObject({
      status: 'ok',
      chain: { indexed_block: 10, head_block: 10, lag_secs: 0 },
      queue: 'ok',
      relayer: 'ok',
    })
  })

  test('names the public RPC URL of the chain', async () => {
    const bindings = { CHAIN_PUBLIC_RPC_URL: 'http://127.0.0.1:8545/' }
    expect(await bodyOf(client({ bindings }).get('/v1/status'))).toMatchObject({
      chain: { rpc_url: 'http://127.0.0.1:8545/' },
    })
  })

  test('says degraded, with 200, while the chain does not answer', async () => {
    await forgetView()
    chain.down = true
    expect(await status()).toMatchObject({ status: 'degraded', relayer: 'unavailable' })
  })

  test('checks its parts only once in a while, even if it is requested often', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await forgetView()
    const caller = client({ bindings: {} })
    expect(await status(caller)).toMatchObject({ relayer: 'ok' })
    await forgetView()
    chain.down = true
    expect(await status(caller)).toMatchObject({ relayer: 'ok' })
    expect(await status()).toMatchObject({ relayer: 'unavailable' })
  })

  test('says how late the lists are, and degraded if the delay is unknown or more than a minute', async () => {
    const behind = (metrics: () => Promise<Partial<QueueMetrics>>) =>
      status(client({ bindings: { ROUND_ROWS: { metrics } as never } }))
    const number = expect.any(Number)
    expect(await status()).toMatchObject({ status: 'ok', projection: { lag_ms: number, queued: number } })
    const ago = (ms: number) => async () => ({
      backlogCount: 7,
      oldestMessageTimestamp: new Date(Date.now() - ms),
    })
    expect(await behind(ago(2_000))).toMatchObject({ status: 'ok', projection: { queued: 7 } })
    const late = await behind(ago(61_000))
    expect(late).toMatchObject({ status: 'degraded', projection: { queued: 7 } })
    expect((late.projection as { lag_ms: number }).lag_ms).toBeGreaterThanOrEqual(61_000)
    const away = () => Promise.reject(new Error('queue away'))
    expect(await behind(away)).toMatchObject({ status: 'degraded', projection: null })
  })

  test('says degraded when the relaying key has no balance left', async () => {
    await forgetView()
    chain.balance = 0n
    expect(await status()).toMatchObject({ status: 'degraded', relayer: 'unavailable' })
    chain.balance = 10n ** 20n
    await forgetView()
  })
})

describe('GET /v1/transactions/{id}', () => {
  test('finds an action as soon as it is accepted, even if the copy of the database lacks it', async () => {
    const id = `0x${'5c'.repeat(32)}`
    // Nothing that the relayer copies stays.
    await runSql(
      'CREATE TRIGGER lagging AFTER INSERT ON transactions BEGIN DELETE FROM transactions WHERE id = new.id; END',
    )
    onTestFinished(async () => {
      await runSql('DROP TRIGGER lagging')
    })
    const accepted = await services(env).relayer?.accept(relayRequest({ id }))
    expect(accepted).toMatchObject({ status: 'accepted' })
    for (const headers of [
      {},
      { 'X-Bookmark': '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683' },
    ]) {
      await expectAnswer(client().get(`/v1/transactions/${id}`, headers), 200, {
        id,
        action: 'bond',
        error: null,
      })
    }
    const withoutRelayer = client({ bindings: { RELAYER_PRIVATE_KEY: undefined as never } })
    expect((await withoutRelayer.get(`/v1/transactions/${id}`)).status).toBe(404)
  })

  test('429 rate_limited: many requests for unknown ids; known ids are still answered', async () => {
    const id = `0x${'5d'.repeat(32)}`
    await services(env).transactions.put([
      {
        id,
        action: 'bond',
        owner: `0x${'0a'.repeat(20)}`,
        status: 'sent',
        txHash: null,
        error: null,
        confirmations: 0,
        createdAt: 1,
        updatedAt: 1,
        revision: 1,
      },
    ])
    const caller = client({ address: freshAddress() })
    const statuses = await atOnce(70, async (index) => {
      const unknown = `0x${(2 ** 40 + index).toString(16).padStart(64, '0')}`
      return (await caller.get(`/v1/transactions/${unknown}`)).status
    })
    expect(statuses.sort()).toEqual([...Array(60).fill(404), ...Array(10).fill(429)])
    expect((await caller.get(`/v1/transactions/${id}`)).status).toBe(200)
  })

  test('shows an action as soon as it is accepted, without a call to the relayer', async () => {
    const id = `0x${'5a'.repeat(32)}`
    const relayer = services(env).relayer
    const result = await relayer?.relay(relayRequest({ id }))
    expect(result?.status).toBe('accepted')
    // A hub without a relayer shows the same.
    const bindings = { RELAYER_PRIVATE_KEY: undefined as never }
    const read = () => bodyOf(client({ bindings }).get(`/v1/transactions/${id}`))
    expect(await read()).toMatchObject({
      id,
      status: 'sent',
      tx_hash: chain.received[0]?.hash,
      confirmations: 0,
    })
    chain.mine()
    await runDurableObjectAlarm(relayerObject())
    expect(await read()).toMatchObject({ id, status: 'confirmed', confirmations: 1 })
    await expectRefusal(client().get(`/v1/transactions/0x${'5b'.repeat(32)}`), '404 not_found')
  })
})
