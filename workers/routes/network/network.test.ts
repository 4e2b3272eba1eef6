import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { bytesToHex } from '../../../protocol/encoding/index.ts'
import {
  defaultNetworkParams,
  deriveNodeId,
  makeSchedule,
  phaseHash,
  resolveProfile,
} from '../../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../../protocol/signatures/index.ts'
import { lastMigration } from '../../stores/schema/last-migration.ts'
import { bodyOf, client, errorOf, expectAnswer, expectRefusal, itemsOf } from '../../test/client.ts'
import { failingDatabase } from '../../test/failing-database.ts'
import { createListedProject } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'

const digest = `0x${'ab'.repeat(32)}`

describe('GET /', () => {
  test('describes the network, with null for members that need a chain', async () => {
    const response = await client({ bindings: {} }).get('/')
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    expect(await response.json()).toEqual({
      network: 'hub-testnet',
      protocol: 'hub/1',
      profile: resolveProfile(),
      api: 'v1',
      brand: { name: null, logo: null, accent: null },
      runtime: 'hive-wasm-v1',
      chain: {
        id: 31337,
        name: null,
        coin: { symbol: 'ETH', name: 'Ether', decimals: 18 },
        explorer: null,
        contracts: {
          hub_token: null,
          faucet: null,
          project_registry: null,
          vault_factory: null,
          vault_implementation: null,
          staking: null,
          treasury: null,
        },
        registry: null,
        token: null,
      },
      hosts: {
        api: 'http://localhost:8787',
        docs: 'http://localhost:8787/docs',
        store: 'http://localhost:8787/v1/modules',
        relay: 'ws://localhost:8787/v1/relay',
        sign_in: ['localhost:8787', 'localhost:7878', '127.0.0.1:7878'],
      },
      coordinator: null,
      params_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      next_params: null,
      endpoints: expect.objectContaining({ status: 'http://localhost:8787/v1/status' }),
      validators: { count: 0, quorum: 0 },
      versions: {
        hub: expect.any(String),
        nodectl_min: '1.0.0',
        miner_min: '1.0.0',
        miner_latest: '1.0.0',
      },
      features: { modules: true, 'sign-in': true, relay: false, faucet: false },
      status: 'ok',
      time: expect.any(Number),
    })
  })

  test('names the key with which this hub signs its calls to nodes', async () => {
    const seed = `0x${'5e'.repeat(32)}`
    const descriptor = await bodyOf(client({ bindings: { COORDINATOR_SEED: seed } }).get('/'))
    const publicKey = ed25519PublicKey(seed)
    expect(descriptor).toMatchObject({
      coordinator: { node_id: deriveNodeId(resolveProfile(), publicKey), public_key: publicKey },
    })
    expect(JSON.stringify(descriptor)).not.toContain('5e5e5e')
  })

  test('names of another profile replace every default name', async () => {
    const bindings = { PROFILE: '{"service":"Swarm","chain_id":7}' }
    const descriptor = await bodyOf(client({ bindings }).get('/'))
    expect(descriptor).toMatchObject({ network: 'swarm-testnet', protocol: 'swarm/1', chain: { id: 7 } })
    expect(descriptor.profile).toEqual(resolveProfile({ service: 'Swarm', chain_id: 7 }))
    expect(JSON.stringify(descriptor)).not.toMatch(/hub_token|hub-testnet|hubsess|X-Hub/)
  })
})

describe('GET /v1/status', () => {
  test('says ok while every part answers', async () => {
    expect(await bodyOf(client().get('/v1/status'))).toMatchObject({
      status: 'ok',
      database: 'ok',
      module_storage: 'ok',
      queue: null,
      relayer: null,
      relay: { connected_devices: 0, available_slots: 0 },
    })
  })

  test('says ok even if rounds became final too late to be paid, because nobody can change that', async () => {
    await runSql(
      `INSERT INTO epoch_rounds (project_id, epoch, ends_at, terms, rounds, finalized, fallback, units, primaries, answered,
        unpaid) VALUES (?, 7, ?, '{}', 2, 2, 0, 0, 0, 0, 2)`,
      digest,
      Math.floor(Date.now() / 1000) - 600,
    )
    expect(await bodyOf(client({ bindings: {} }).get('/v1/status'))).toMatchObject({
      status: 'ok',
      late: [{ what: 'rounds_unpaid', project_id: digest, epoch: 7, count: 2 }],
    })
    await runSql('DELETE FROM epoch_rounds')
  })

  test('says maintenance while MAINTENANCE is set, like the descriptor', async () => {
    const hub = client({ bindings: { MAINTENANCE: 'true' } })
    for (const path of ['/', '/v1/status'])
      expect(await bodyOf(hub.get(path))).toMatchObject({ status: 'maintenance' })
  })

  test('says degraded, with 200, while the database does not answer', async () => {
    await expectAnswer(client({ bindings: { DB: failingDatabase(() => true) } }).get('/v1/status'), 200, {
      status: 'degraded',
      database: 'unavailable',
      relay: null,
    })
  })
})

describe('a part that is not configured or not migrated', () => {
  test('names the settings that it lacks', async () => {
    const { missing } = await bodyOf(client({ bindings: {} }).get('/v1/status'))
    expect(missing).toEqual({
      chain: ['CHAIN_RPC_URL', 'CHAIN_CONTRACTS'],
      relayer: ['CHAIN_RPC_URL', 'CHAIN_CONTRACTS', 'RELAYER_PRIVATE_KEY'],
      coordinator: ['COORDINATOR_SEED'],
    })
    const bindings = { CHAIN_RPC_URL: 'http://127.0.0.1:9', COORDINATOR_SEED: digest }
    const other = await bodyOf(client({ bindings }).get('/v1/status'))
    expect(other.missing).toEqual({
      chain: ['CHAIN_CONTRACTS'],
      relayer: ['CHAIN_CONTRACTS', 'RELAYER_PRIVATE_KEY'],
    })
  })

  test('is reported if the database lacks only the newest migration', async () => {
    const named = (from: string, to: string) =>
      runSql('UPDATE d1_migrations SET name = ? WHERE name = ?', to, from)
    await named(lastMigration, 'none')
    const status = await bodyOf(client({ bindings: {} }).get('/v1/status'))
    await named('none', lastMigration)
    expect(status).toMatchObject({ status: 'degraded', missing: { database: ['migrations'] } })
  })

  test('is reported if the database lacks migrations', async () => {
    const DB = failingDatabase(() => true, { reason: 'no such table: projects: SQLITE_ERROR' })
    const unmigrated = client({ bindings: { DB } })
    expect(await bodyOf(unmigrated.get('/v1/status'))).toMatchObject({
      status: 'degraded',
      database: 'unavailable',
      missing: { database: ['migrations'] },
    })
    const { status, error, message } = await errorOf(unmigrated.get('/v1/projects'))
    expect([status, error]).toEqual([500, 'internal'])
    expect(message).toMatch(/lacks migrations.*wrangler d1 migrations apply DB/)
  })
})

describe('GET /v1/network/params', () => {
  test('returns the parameters with the hash that the descriptor names', async () => {
    const params = await bodyOf(client().get('/v1/network/params'))
    const descriptor = await bodyOf(client().get('/'))
    expect(params.params_hash).toBe(descriptor.params_hash)
    expect(params.params).toMatchObject({ accept_secs: 10, weight_unit_wei: '1000000000000000' })
  })

  test('an unchanged answer is 304 for its ETag, weak or among others, and 200 for another', async () => {
    const { get } = client()
    const etag = (await get('/v1/network/params')).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[^"]+"$/)
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get('/v1/network/params', { 'If-None-Match': value })
      expect([response.status, await response.text()]).toEqual([304, ''])
      expect(response.headers.get('etag')).toBe(etag)
    }
    expect((await get('/v1/network/params', { 'If-None-Match': '"other"' })).status).toBe(200)
  })
})

describe('GET /v1/categories', () => {
  test('counts listed projects in each of the ten categories', async () => {
    const insert = env.DB.prepare(
      'INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at) VALUES (?, ?, ?, ?, ?, 1)',
    )
    await env.DB.batch([
      insert.bind('0x1', '0x', 'one', 'iot', 'listed'),
      insert.bind('0x2', '0x', 'two', 'iot', 'listed'),
      insert.bind('0x3', '0x', 'three', 'iot', 'paused'),
    ])
    // Another isolate: this one may have kept an answer.
    const items = await itemsOf(client({ bindings: {} }).get('/v1/categories'))
    expect(items).toHaveLength(10)
    expect(items.filter(({ projects }) => projects > 0)).toEqual([{ slug: 'iot', name: 'IoT', projects: 2 }])
  })
})

const freshDigest = () => bytesToHex(crypto.getRandomValues(new Uint8Array(32)))

describe('GET /v1/transactions/{id}', () => {
  beforeAll(async () => {
    await runSql(
      "INSERT INTO transactions (id, action, owner, status, created_at, updated_at) VALUES (?, 'bond', '0x', 'queued', 5, 6)",
      digest,
    )
  })

  test('shows the action; hex in the path is case-insensitive', async () => {
    for (const id of [digest, `0x${'AB'.repeat(32)}`])
      expect(await bodyOf(client().get(`/v1/transactions/${id}`))).toEqual({
        id: digest,
        action: 'bond',
        status: 'queued',
        indexed: false,
        error: null,
        confirmations: 0,
        created_at: 5,
        updated_at: 6,
      })
  })

  test.each([
    ['bond', 'confirmed', true, true],
    ['bond', 'confirmed', false, false],
    // Its block may be undone again.
    ['bond', 'sent', true, false],
    // No record of the hub shows a drip.
    ['faucet', 'confirmed', false, true],
  ])('%s, %s, its events in the index: %s; indexed: %s', async (action, status, isSeen, indexed) => {
    const id = freshDigest()
    await runSql(
      "INSERT INTO transactions (id, action, owner, status, tx_hash, created_at, updated_at) VALUES (?, ?, '0x', ?, ?, 5, 6)",
      id,
      action,
      status,
      id,
    )
    if (isSeen)
      await runSql(
        `INSERT INTO chain_events (block_hash, log_index, block_number, block_time, tx_hash, contract, name, args, provisional)
        VALUES (?, 0, 9, 1, ?, '0x', 'Bonded', '{}', 1)`,
        id,
        id,
      )
    expect(await bodyOf(client().get(`/v1/transactions/${id}`))).toMatchObject({ status, indexed })
  })

  test('finds an action by the hash of its transaction', async () => {
    const [id, txHash] = [freshDigest(), freshDigest()]
    await runSql(
      "INSERT INTO transactions (id, action, owner, status, tx_hash, created_at, updated_at) VALUES (?, 'bond', '0x', 'sent', ?, 5, 6)",
      id,
      txHash,
    )
    expect(await bodyOf(client().get(`/v1/transactions/${txHash}`))).toMatchObject({ id, tx_hash: txHash })
  })

  test.each([`0x${'cd'.repeat(32)}`, '0x12', 'nonsense'])('404 not_found: %s', async (id) => {
    await expectRefusal(client().get(`/v1/transactions/${id}`), '404 not_found')
  })
})

test('the status is degraded while the set of a running epoch has no quorum of attestations', async () => {
  const projectId = await createListedProject()
  await runSql(
    `INSERT INTO committee_sets (project_id, epoch, epoch_secs, set_hash, bytes, entries, committee, built_at)
     VALUES (?1, 0, 10000000000, ?1, 0, 0, '{}', 1)`,
    projectId,
  )
  expect(await bodyOf(client({ bindings: {} }).get('/v1/status'))).toMatchObject({
    status: 'degraded',
    database: 'ok',
    module_storage: 'ok',
    late: [{ what: 'set_not_attested', project_id: projectId, epoch: 0 }],
  })
})

test('a change of parameters is announced until it takes effect, and `at` reads the parameters of a time', async () => {
  const from = 3_600 * Math.ceil(Date.now() / 3_600_000 + 24)
  const change = { from, params: { audit_bp: 2_000 } }
  const later = makeSchedule(defaultNetworkParams, [change])
  const [hash, next] = later.map(phaseHash)
  const caller = client({ bindings: { PARAMS_CHANGES: JSON.stringify([change]) } })
  const read = (query = '') => bodyOf(caller.get(`/v1/network/params${query}`))
  const announced = { from, params: later[1]?.params, params_hash: next }
  expect(await read()).toEqual({ params: defaultNetworkParams, params_hash: hash, next: announced })
  expect(await read(`?at=${from - 1}`)).toMatchObject({ params_hash: hash, next: announced })
  expect(await read(`?at=${from}`)).toEqual({ params: later[1]?.params, params_hash: next, next: null })
  expect(await bodyOf(caller.get('/'))).toMatchObject({ next_params: { from, params_hash: next } })
  expect(await errorOf(await caller.get('/v1/network/params?at=-1'))).toMatchObject({ status: 400 })
})
