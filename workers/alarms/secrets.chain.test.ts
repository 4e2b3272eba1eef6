import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { readSettings } from '../env.ts'
import { services } from '../services.ts'
import { signIn } from '../test/callers.ts'
import { bodyOf, client } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { rowsOf, runSql } from '../test/tables.ts'
import { lookForAlarms } from './look.ts'
import { fingerprintsOf } from './secrets.ts'

beforeEach(() => new FakeChain().install())

const operator = await signIn()
const hub = {
  ...env,
  OPERATOR_ADDRESSES: operator.address,
  ...{ LOCAL_NETWORK: 'false', BASE_URL: 'https://hub.example' },
}
type Hub = typeof hub
const year = 365 * 86_400

const look = (of: Hub = hub) => lookForAlarms(services(of), readSettings(of), unixNow())
const seen = () => rowsOf<{ name: string; seen_at: number }>('SELECT * FROM hub_secrets ORDER BY name')
const age = (name: string, secs: number) =>
  runSql('UPDATE hub_secrets SET seen_at = seen_at - ? WHERE name = ?', secs, name)
const heard = async () => {
  const { items } = await bodyOf<{ items: { type: string; data: { alarm: string; message?: string } }[] }>(
    client({ token: operator.token }).get('/v1/me/events?limit=50'),
  )
  return items.flatMap(({ type, data }) =>
    data?.alarm === 'secrets_old' ? [`${type} ${data.message ?? ''}`.trim()] : [],
  )
}

test('operators hear of a secret that is older than a year, once, until it is replaced, and again a year later', async () => {
  const replaced = { ...hub, HUB_SECRET: 'another secret that only tests know' }
  const alarm = 'hub.alarm Secrets are older than a year: HUB_SECRET.'
  await look()
  await age('HUB_SECRET', year + 60)
  await Promise.all([look(), look()])
  await look()
  expect(await heard()).toEqual([alarm])
  await Promise.all([look(replaced), look(replaced)])
  expect(await heard()).toEqual([alarm, 'hub.alarm_over'])
  await age('HUB_SECRET', year + 60)
  await look(replaced)
  expect(await heard()).toEqual([alarm, 'hub.alarm_over', alarm])
})

test('the age of a secret begins when the hub has it for the first time, and goes when it is gone', async () => {
  await runSql('DELETE FROM hub_secrets')
  await look()
  await runSql('UPDATE hub_secrets SET seen_at = 7')
  const { ARBITER_PRIVATE_KEY: _, ...without } = hub
  await look({ ...without, COORDINATOR_SEED: `0x${'5f'.repeat(32)}` } as Hub)
  expect((await seen()).map(({ name, seen_at }) => [name, seen_at === 7])).toEqual([
    ['COORDINATOR_SEED', false],
    ['HUB_SECRET', true],
    ['RELAYER_PRIVATE_KEY', true],
  ])
})

test('a check without a new secret writes none', async () => {
  const writes = async () => {
    const { db: DB, use } = countedDatabase()
    await look({ ...hub, DB })
    return use.rowsWritten
  }
  await look()
  expect(await writes()).toBe(0)
  await runSql("UPDATE hub_secrets SET fingerprint = 'another' WHERE name = 'HUB_SECRET'")
  expect(await writes()).toBeGreaterThan(0)
  expect(await writes()).toBe(0)
})

test('a local network keeps no fingerprints', async () => {
  await runSql('DELETE FROM hub_secrets')
  await look({ ...hub, LOCAL_NETWORK: 'true', BASE_URL: env.BASE_URL })
  expect(await seen()).toEqual([])
})

test('a fingerprint is short, and depends on name and value', () => {
  const key = `0x${'07'.repeat(32)}` as const
  const [one, same] = fingerprintsOf({
    HUB_SECRET: key,
    COORDINATOR_SEED: key,
    RELAYER_PRIVATE_KEY: undefined,
    ARBITER_PRIVATE_KEY: undefined,
  })
  expect(one?.fingerprint).toMatch(/^[0-9a-f]{8}$/)
  expect(same?.fingerprint).not.toBe(one?.fingerprint)
})
