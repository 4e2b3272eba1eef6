import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { unixNow } from '../../../durable-objects/clock.ts'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { services } from '../../services.ts'
import { createOperator } from '../../test/callers.ts'
import { bodyOf, client, expectRefusal } from '../../test/client.ts'
import { createDeveloper } from '../../test/project.ts'
import { runSql } from '../../test/tables.ts'

const path = '/admin/v1/metrics'
let chain: FakeChain
beforeEach(() => {
  chain = new FakeChain()
  chain.install()
})

const operator = await createOperator()
const bindings = { OPERATOR_ADDRESSES: operator.address }
const { secret } = await bodyOf(
  operator.client.post('/v1/developers/api-keys', { name: 'prometheus', scopes: ['analytics:read'] }),
)
const read = async () => {
  const response = await client({ token: secret, bindings: { ...bindings } }).get(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

test('an API key of an operator reads metrics that follow the state of the hub', async () => {
  await services(env).indexer?.wake()
  await runDurableObjectAlarm(env.CHAIN_INDEXER.getByName('31337'))
  const well = await read()
  expect(well).toMatchObject({
    ...{ hub_ok: 1, 'hub_part_ok{part="database"}': 1, 'hub_part_ok{part="relayer"}': 1 },
    ...{ hub_chain_indexed_block: 10, hub_chain_lag_seconds: 0, hub_chain_halted: 0 },
    ...{ hub_dead_letters: 0, 'hub_late{what="tasks_waiting"}': 0, hub_relayer_open: 0 },
    ...{ hub_relayer_balance_wei: Number(chain.balance), hub_rounds_24h: 0 },
    ...{ hub_epochs_failing: 0, hub_clock_behind_seconds: 0 },
  })
  expect(well.hub_database_bytes).toBeGreaterThan(100_000)
  for (const none of ['hub_time_to_final', 'hub_secret_age', 'hub_backup_age'])
    expect(Object.keys(well).filter((name) => name.startsWith(none))).toEqual([])

  await runSql(
    "INSERT INTO dead_letters (message_id, queue, body, attempts, died_at) VALUES ('m0', 'action-dead-letters', '{}', 11, 1)",
  )
  for (let i = 1; i <= 20; i++)
    await runSql(
      `INSERT INTO rounds (round_id, kind, state, module_address, function, input_hash, gas_limit, issued_at, committee_size, votes,
        agreeing, audited, agreed_at, finality_ms) VALUES (?, 'task', 'finalized', 'm', 'f', '0x', 1, ?, 3, 3, 3, 0, ?, ?)`,
      ...[`r${i}`, i, i + 2, i * 1_000],
    )
  expect(await read()).toMatchObject({
    ...{ hub_ok: 0, 'hub_part_ok{part="queue"}': 0, hub_dead_letters: 1 },
    ...{ 'hub_time_to_final_seconds{quantile="0.5"}': 10, 'hub_time_to_final_seconds{quantile="0.95"}': 19 },
    'hub_time_to_agreed_seconds{quantile="0.5"}': 2,
  })
})

test('the ages of secrets and of the last backup are known apart from local networks', async () => {
  const read = async () => {
    const deployed = { ...bindings, LOCAL_NETWORK: 'false', BASE_URL: 'https://hub.example' }
    return (await client({ token: secret, bindings: deployed }).get(path)).text()
  }
  expect(await read()).toContain('\nhub_backup_age_seconds +Inf\n')
  const since = unixNow() - 1_000
  await runSql('INSERT INTO last_backup (id, made_at) VALUES (1, ?)', since)
  await runSql("INSERT INTO hub_secrets VALUES ('HUB_SECRET', '00000000', ?)", since)
  const text = await read()
  expect(text).toMatch(/^hub_backup_age_seconds 10\d\d$/m)
  expect(text).toMatch(/^hub_secret_age_seconds\{secret="HUB_SECRET"\} 10\d\d$/m)
})

test('callers without an operator key and its scope get no metrics', async () => {
  await expectRefusal(client({ bindings }).get(path), '401 unauthorized')
  const developer = await createDeveloper()
  const { secret: foreign } = await bodyOf(
    developer.client.post('/v1/developers/api-keys', { name: 'x', scopes: ['analytics:read'] }),
  )
  await expectRefusal(client({ token: foreign, bindings }).get(path), '403 forbidden')
  await expectRefusal(developer.client.get(path), '403 forbidden')
  const { secret: narrow } = await bodyOf(
    operator.client.post('/v1/developers/api-keys', { name: 'x', scopes: ['projects:read'] }),
  )
  await expectRefusal(client({ token: narrow, bindings }).get(path), '403 scope_missing')
})
