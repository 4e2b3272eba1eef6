import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import type { Env } from '../env.ts'
import { bringHubAction } from '../outbox/hub-actions.ts'
import { services } from '../services.ts'
import { bodyOf, client } from '../test/client.ts'
import { createIndexer } from './indexer-object.ts'

const blockSecs = 12
const epochBlocks = 32
const subject = `0x${'0e'.repeat(20)}:500000`
const now = Math.floor(Date.now() / 1000)

let chain: FakeChain
beforeEach(() => {
  chain = new FakeChain().install()
  chain.id = 11_155_111
  chain.head = 3_200
  chain.timeOf = (number) => now + (number - 3_200) * blockSecs
})

const settings = { PROFILE: '{"chain_id":11155111}', CHAIN_CONFIRMATIONS: '12', CHAIN_START_BLOCK: '2900' }
const inIndexer = <Result>(
  work: (indexer: ReturnType<typeof createIndexer>) => Promise<Result>,
  name = '11155111',
) =>
  runInDurableObject(env.CHAIN_INDEXER.getByName(name), (_, state) =>
    work(createIndexer(state, { ...env, ...settings })),
  )
const hubWith = (indexer: ReturnType<typeof createIndexer>) => ({
  ...{ ...env, ...settings },
  CHAIN_INDEXER: { getByName: () => indexer } as unknown as Env['CHAIN_INDEXER'],
})

/** The state of a hub on Sepolia while its chain's final block is `lagBlocks` behind the head. */
async function lookOf(lagBlocks: number) {
  chain.finalOf = (head) => head - lagBlocks
  chain.head += 1
  return inIndexer(async (indexer) => {
    for (let alarms = 0; alarms < 5; alarms++) await indexer.alarm()
    const hub = hubWith(indexer)
    await bringHubAction(hub, 'post_epoch', subject)
    return {
      status: await bodyOf(client({ bindings: hub }).get('/v1/status')),
      auditBlock: await services(hub).auditBlocks?.find(chain.timeOf(chain.head) - 1),
      posting: await services(hub).hubActions.find('post_epoch', subject),
    }
  })
}

test('while the chain does not finalise, the hub names no audit block, posts no epoch, and the status reports it', async () => {
  await env.DB.prepare(
    `INSERT INTO hub_actions (kind, subject, wanted, revision, state, attempts, next_attempt_at, wanted_at)
     VALUES ('post_epoch', ?, '{}', 1, 'open', 0, 0, 0)`,
  )
    .bind(subject)
    .run()
  const unfinal = 'The chain does not finalise its blocks at the moment.'
  // The last final block is three epochs old where finality is two behind; one epoch more is still in time.
  const well = await lookOf(4 * epochBlocks)
  expect(well.status).toMatchObject({
    chain: { finalizing: true, final_block: chain.head - 4 * epochBlocks },
  })
  // Validators refuse a block with any other member.
  const hash = expect.stringMatching(/^0x/)
  expect(well.auditBlock).toEqual({ number: chain.head, hash, timestamp: chain.timeOf(chain.head) })
  expect(well.posting?.lastError).not.toBe(unfinal)

  const stalled = await lookOf(5 * epochBlocks)
  expect(stalled.status).toMatchObject({ status: 'degraded', chain: { finalizing: false, halted: null } })
  expect(stalled.auditBlock).toBeNull()
  expect(stalled.posting).toMatchObject({
    state: 'open',
    attempts: well.posting?.attempts,
    lastError: unfinal,
  })

  const again = await lookOf(3 * epochBlocks)
  expect(again.auditBlock).toMatchObject({ number: chain.head })
  expect(again.posting?.lastError).not.toBe(unfinal)
})

test('before the first look at the chain, the status does not say that the chain fails to finalise', async () => {
  await env.DB.exec('DELETE FROM chain_cursor')
  await inIndexer(async (indexer) => {
    const chainNow = async () =>
      (await bodyOf(client({ bindings: hubWith(indexer) }).get('/v1/status'))).chain
    expect(await chainNow()).toMatchObject({ finalizing: null, indexed_block: null })
    chain.down = true
    await indexer.alarm()
    expect(await chainNow()).toMatchObject({ finalizing: null })
    Object.assign(chain, { down: false, head: 2_800, finalOf: () => 0 })
    await indexer.alarm()
    expect(await chainNow()).toMatchObject({ finalizing: null, indexed_block: null })
    chain.head = 3_200
    for (let alarms = 0; alarms < 5; alarms++) await indexer.alarm()
    expect(await chainNow()).toMatchObject({ finalizing: false })
  }, 'of a hub that was just deployed')
})
