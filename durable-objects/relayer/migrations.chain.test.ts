import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { migrate } from '../sql-migrations.ts'
import { FakeChain } from '../testing/fake-chain.ts'
import { relayerObjectOf } from '../testing/relayer-object.ts'
import { RelayLedger } from './ledger.ts'
import { relayerMigrations } from './migrations.ts'

/** Statements before relays had one table. */
const twoTables = relayerMigrations.slice(0, 11)

const call = "'bond', '0x0a', ?, '0x0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b', '0x01', '7', 50000"

/** An object as it was: a final action, one with a nonce and one attempt, one just given its nonce, and two without. */
function fillTwoTables(sql: SqlStorage): void {
  const relay = `INSERT INTO relays VALUES (?, ?, ${call}, ?, ?, NULL, 2, ?, ?, 5, 6, 3, 3)`
  sql.exec(relay, 'final', 0, null, 'confirmed', '0xf0', 0, null)
  sql.exec(relay, 'sent', 1, 'a', 'sent', '0xf1', 1, 8)
  sql.exec(relay, 'queued', 2, null, 'queued', null, 0, null)
  sql.exec("INSERT INTO attempts VALUES ('0xf1', 1, '0x02', '9', '1', 5000, 1, 1)")
  const admission = `INSERT INTO admissions VALUES (?, ${call}, '100007', ?, ?)`
  sql.exec(admission, 'known to clients', 'b', 7_900, 1)
  sql.exec(admission, 'unknown to clients', null, 8_000, 0)
}

const relayer = relayerObjectOf(env.RELAYER_PRIVATE_KEY as string)

test('every action of the two former tables is carried over', async () => {
  await runInDurableObject(relayer, (_, { storage }) => {
    storage.sql.exec('DROP TABLE relays')
    storage.sql.exec('DROP TABLE attempts')
    storage.sql.exec('DROP TABLE gas_days')
    storage.sql.exec('DROP TABLE refusals')
    storage.sql.exec('DROP TABLE owner_gas')
    storage.kv.put('migrations', 0)
    migrate(storage, twoTables)
    fillTwoTables(storage.sql)
    migrate(storage, relayerMigrations)

    const ledger = new RelayLedger(storage)
    expect(ledger.find('sent')).toEqual({
      id: 'sent',
      nonce: 1,
      action: 'bond',
      owner: '0x0a',
      serializationKey: 'a',
      to: '0x0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b',
      data: '0x01',
      valueWei: 7n,
      gas: 50_000,
      costWei: 7n,
      acceptedAtMs: 5_000,
      status: 'sent',
      txHash: '0xf1',
      error: null,
      confirmations: 2,
      noop: true,
      foreignSinceMs: 8,
      finalHead: null,
      updatedAt: 6,
      revision: 3,
    })
    expect(ledger.attempts(1)).toMatchObject([{ hash: '0xf1', noop: true, accepted: true }])
    expect(ledger.find('final')).toMatchObject({ nonce: 0, status: 'confirmed', noop: false })
    expect(ledger.find('known to clients')).toMatchObject({
      nonce: null,
      serializationKey: 'b',
      costWei: 100_007n,
      acceptedAtMs: 7_900,
      status: 'queued',
      updatedAt: 7,
    })
    expect(ledger.pending(8_000, 10).map(({ id }) => id)).toEqual(['known to clients', 'unknown to clients'])
    expect(ledger.unpublished(10).map(({ id }) => id)).toEqual(['unknown to clients'])
    expect(ledger.findUnmined('b')).toMatchObject({ id: 'known to clients' })
    expect(ledger.committedWei()).toBe(450_007n + 7n + 2n * 100_007n)
    expect([ledger.countOpen(), ledger.nextNonce()]).toEqual([4, 3])
  })
})

test('and goes on from where it was', async () => {
  const chain = new FakeChain().install()
  const { signer } = await relayer.health()
  for (let used = 0; used < 2; used++) chain.mineForeignTransaction(signer as string)
  await relayer.wake()
  await runDurableObjectAlarm(relayer)
  expect(chain.received.map(({ nonce }) => nonce)).toEqual([2, 3, 4])
  chain.mine()
  await runDurableObjectAlarm(relayer)
  for (const id of ['queued', 'known to clients', 'unknown to clients']) {
    expect(await relayer.find(id)).toMatchObject({ status: 'confirmed' })
    const copy = env.DB.prepare('SELECT status FROM transactions WHERE id = ?').bind(id)
    expect(await copy.first()).toEqual({ status: 'confirmed' })
  }
})
