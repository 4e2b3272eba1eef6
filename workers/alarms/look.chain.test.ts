import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import { signIn } from '../test/callers.ts'
import { bodyOf, client } from '../test/client.ts'
import { indexState } from '../test/epochs.ts'
import { rowsOf, runSql } from '../test/tables.ts'
import { lookForAlarms } from './look.ts'

let chain: FakeChain
beforeEach(() => {
  chain = new FakeChain().install()
})

const [one, other, stranger] = [await signIn(), await signIn(), await signIn()]
const hub = { ...env, OPERATOR_ADDRESSES: `${one.address},${other.address}` }
const look = (now: number) => lookForAlarms(services(hub), readSettings(hub), now)
const heard = async ({ token }: { token: string }) => {
  const { items } = await bodyOf<{ items: { type: string; data: { alarm: string } }[] }>(
    client({ token }).get('/v1/me/events?limit=20'),
  )
  return items.flatMap(({ type, data }) => (data?.alarm === 'dead_letters' ? [type] : []))
}

test('each operator hears of an alarm once when it begins and once when it is over, and nobody else does', async () => {
  const fail = (id: string) =>
    runSql(
      "INSERT INTO dead_letters (message_id, queue, body, attempts, died_at) VALUES (?, 'q', '{}', 11, 1)",
      id,
    )
  await look(100)
  await fail('m0')
  await Promise.all([look(200), look(201)])
  await fail('m1')
  await look(300)
  for (const operator of [one, other]) {
    expect(await heard(operator)).toEqual(['hub.alarm'])
    const { items } = await bodyOf<{ items: object[] }>(
      client({ token: operator.token }).get('/v1/me/notifications'),
    )
    expect(items).toContainEqual(
      expect.objectContaining({
        type: 'hub.alarm',
        severity: 'critical',
        data: {
          alarm: 'dead_letters',
          message: '1 messages failed every attempt, and no operator has handled them.',
        },
      }),
    )
  }
  await runSql('DELETE FROM dead_letters')
  await Promise.all([look(400), look(401)])
  expect(await heard(one)).toEqual(['hub.alarm', 'hub.alarm_over'])
  expect(await heard(stranger)).toEqual([])
  expect(await rowsOf("SELECT name FROM hub_alarms WHERE name = 'dead_letters'")).toEqual([])
})

test('an alarm of a part that does not answer is not over', async () => {
  const status = () => Promise.reject(new Error('The object is overloaded.'))
  const failing = {
    ...hub,
    CHAIN_INDEXER: { getByName: () => ({ status }) } as unknown as Env['CHAIN_INDEXER'],
  }
  await runSql("INSERT INTO hub_alarms VALUES ('index_halted', 1, 'It stopped.', '[]')")
  await lookForAlarms(services(failing), readSettings(failing), 500)
  const kept = () => rowsOf("SELECT since FROM hub_alarms WHERE name = 'index_halted'")
  expect(await kept()).toEqual([{ since: 1 }])
  await look(600)
  expect(await kept()).toEqual([])
})

test('a block from the future tells that the clock of the hub is behind, unless that follows the chain', async () => {
  await indexState('vault', 'any', {})
  const newestAt = (time: number) =>
    runSql(
      'UPDATE chain_blocks SET timestamp = ? WHERE number = (SELECT max(number) FROM chain_blocks)',
      time,
    )
  const raised = async (of = hub) => {
    await lookForAlarms(services(of), readSettings(of), unixNow())
    return rowsOf<{ message: string }>("SELECT message FROM hub_alarms WHERE name = 'clock_behind'")
  }
  await newestAt(unixNow() - 4)
  expect(await raised()).toEqual([])
  await newestAt(unixNow() + 600)
  expect(await raised()).toEqual([
    { message: expect.stringMatching(/^The newest block is (600|59\d) s ahead of the clock/) },
  ])
  await runSql('UPDATE chain_cursor SET lead_secs = 600')
  expect(await raised({ ...hub, CLOCK: 'chain' })).toEqual([])
})

test('a hub without operators checks for no alarms', async () => {
  await runSql('DELETE FROM hub_alarms')
  const nobody = { ...env, OPERATOR_ADDRESSES: '' }
  await runSql(
    "INSERT INTO dead_letters (message_id, queue, body, attempts, died_at) VALUES ('m', 'q', '{}', 11, 1)",
  )
  await lookForAlarms(services(nobody), readSettings(nobody), 1)
  expect(await rowsOf('SELECT * FROM hub_alarms')).toEqual([])
})

test('operators hear of an arbiter without coins, and of a faucet that gets empty', async () => {
  const raised = async () => {
    await look(unixNow())
    const names = await rowsOf<{ name: string }>(
      "SELECT name FROM hub_alarms WHERE name IN ('arbiter_unavailable', 'faucet_low') ORDER BY name",
    )
    return names.map(({ name }) => name)
  }
  chain.callAnswer = 10n ** 24n
  expect(await raised()).toEqual([])
  chain.callAnswer -= 1n
  chain.balance = 0n
  await evictDurableObject(env.RELAYER.getByName(`31337:${services(hub).arbiter?.signer}`))
  expect(await raised()).toEqual(['arbiter_unavailable', 'faucet_low'])
  chain.down = true
  expect(await raised()).toEqual(['arbiter_unavailable', 'faucet_low'])
})
