import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { services } from '../../services.ts'
import { createOperator } from '../../test/callers.ts'
import { client, expectRefusal, itemsOf, statusAndBody } from '../../test/client.ts'
import { scalarOf } from '../../test/tables.ts'

const operator = await createOperator()
beforeEach(() => {
  new FakeChain().install()
})

const path = '/admin/v1/reindex'
const readChain = async () => {
  await services(env).indexer?.wake()
  await runDurableObjectAlarm(env.CHAIN_INDEXER.getByName('31337'))
}
const cursor = () => scalarOf<number>('SELECT block_number FROM chain_cursor')
const entries = () => itemsOf(operator.client.get('/admin/v1/audit-log?subject=chain'))

describe('POST /admin/v1/reindex', () => {
  test('deletes the index, logs its last block, and the chain is read again', async () => {
    await readChain()
    expect(await cursor()).toBe(10)
    expect(await statusAndBody(operator.client.post(path, { reason: 'Other contracts.' }))).toEqual([
      200,
      { start_block: 0 },
    ])
    expect(await cursor()).toBeNull()
    expect(await entries()).toMatchObject([
      {
        action: 'chain.reindex',
        reason: 'Other contracts.',
        before: { block_number: 10, network: { chain_id: 31337, start_block: 0 } },
      },
    ])
    await readChain()
    expect(await cursor()).toBe(10)
  })

  test('changes nothing if nothing was read, and is still logged', async () => {
    for (const _ of [1, 2]) expect((await operator.client.post(path, {})).status).toBe(200)
    expect((await entries())[0]).toMatchObject({ reason: null, before: {} })
  })

  test('503 unavailable while the hub has no chain', async () => {
    const bindings = { OPERATOR_ADDRESSES: operator.address, CHAIN_RPC_URL: '' }
    const without = client({ token: operator.token, bindings })
    await expectRefusal(without.post(path, {}), '503 unavailable')
  })
})
