import { beforeEach, expect, test } from 'vitest'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { createMiner } from '../../test/callers.ts'
import { bodyOf, expectInvalid, expectRefusal, itemsOf, pagesOf, statusAndBody } from '../../test/client.ts'
import { createDescribedMiner, createListedProject, minCollateral } from '../../test/subscription.ts'
import { rowsOf, setListingStatus } from '../../test/tables.ts'

const chain = new FakeChain()
beforeEach(() => {
  chain.install()
  chain.down = false
})

const collateral = String(minCollateral)
const project = await createListedProject({ slug: 'first' })
const path = '/v1/subscriptions/batch'

test('each item starts a subscription or has an error, with one bond for all that started', async () => {
  const { owner, device } = await createDescribedMiner()
  const { device: foreign } = await createMiner()
  const [other, paused] = [
    await createListedProject({ slug: 'other' }),
    await createListedProject({ slug: 'paused' }),
  ]
  await setListingStatus(paused, 'paused')
  const demanding = await createListedProject({
    slug: 'demanding',
    requirements: { cpu_cores: 64 },
  })
  const item = (change: object) => ({ project_id: other, node_id: device.nodeId, collateral, ...change })
  const items = [
    item({ project_id: paused }),
    item({ collateral: '1.5' }),
    item({ node_id: foreign.nodeId }),
    item({ project_id: demanding }),
    item({ collateral: '1' }),
    item({ project_id: project }),
    item({}),
    item({}),
  ]
  const [status, body] = await statusAndBody(owner.client.post(path, { items }))
  expect([status, body.items.map(({ error }: { error: string | null }) => error)]).toEqual([
    201,
    [
      ...['not_found', 'invalid_field', 'not_owner', 'incompatible', 'insufficient_collateral'],
      ...[null, null, 'already_exists'],
    ],
  ])
  expect(body.bond).toMatchObject({
    action: 'bond_batch',
    typed_data: { message: { projectIds: [project, other], amounts: [collateral, collateral] } },
    permit: { message: { value: String(2n * minCollateral) } },
    preview: { effects: { length: 4 } },
  })
  const own = await itemsOf(owner.client.get('/v1/me/subscriptions'))
  expect(new Set(own.map(({ subscription_id }) => subscription_id))).toEqual(
    new Set(
      body.items.slice(5, 7).map(({ subscription_id }: { subscription_id: string }) => subscription_id),
    ),
  )
  expect(own[0]).toMatchObject({ project_name: expect.any(String), units_total: 0, token: { symbol: 'HUB' } })
  const again = await bodyOf(owner.client.post(path, { items: items.slice(5, 6) }))
  expect(again).toEqual({
    items: [{ project_id: project, node_id: device.nodeId, error: 'already_exists' }],
  })
})

test('racing calls start each subscription once', async () => {
  const { owner, device } = await createDescribedMiner()
  const items = [{ project_id: project, node_id: device.nodeId, collateral }]
  const bodies = await Promise.all(
    Array.from({ length: 4 }, () => bodyOf(owner.client.post(path, { items }))),
  )
  const errors = bodies.map((body) => body.items[0].error)
  expect(errors.filter((error) => error === null)).toHaveLength(1)
  expect(await rowsOf('SELECT 1 FROM subscriptions WHERE owner = ?', owner.address)).toHaveLength(1)
})

test('no subscription starts if the chain does not answer, or if the list is empty or too large', async () => {
  const { owner, device } = await createDescribedMiner()
  const item = { project_id: project, node_id: device.nodeId, collateral }
  chain.down = true
  await expectRefusal(owner.client.post(path, { items: [item] }), '503 unavailable')
  expect(await itemsOf(owner.client.get('/v1/me/subscriptions'))).toEqual([])
  await expectInvalid(owner.client.post(path, { items: [] }), 'items')
  await expectInvalid(owner.client.post(path, { items: Array(201).fill(item) }), 'items')
  // Each amount fits into 256 bits, and no permit is for their sum.
  chain.down = false
  const most = { node_id: device.nodeId, collateral: String(2n ** 256n - 1n) }
  const other = await createListedProject({ slug: 'sum' })
  const items = [project, other].map((project_id) => ({ project_id, ...most }))
  await expectInvalid(owner.client.post(path, { items }), 'items')
  expect(await itemsOf(owner.client.get('/v1/me/subscriptions'))).toEqual([])
})

test('the list of subscriptions is filtered by project, device and status', async () => {
  const { owner, device } = await createDescribedMiner()
  const others = await Promise.all(
    ['a', 'b', 'c'].map((slug) => createListedProject({ slug: `filter-${slug}` })),
  )
  const items = [project, ...others].map((project_id) => ({ project_id, node_id: device.nodeId, collateral }))
  await owner.client.post(path, { items })
  const found = async (query: string) =>
    (await pagesOf(owner.client, `/v1/me/subscriptions?${query}`, 2))
      .flat()
      .map(({ project_id }) => project_id)
  expect(await found(`project_id=${others[1]}`)).toEqual([others[1]])
  expect(await found(`node_id=${device.nodeId}&status=pending_collateral`)).toHaveLength(4)
  expect(await found('status=active')).toEqual([])
  await expectInvalid(owner.client.get('/v1/me/subscriptions?status=gone'), 'status')
})
