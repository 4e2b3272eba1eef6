import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { bodyOf, client, expectRefusal, freshAddress } from '../../test/client.ts'
import { createProject, createValidators, indexState, settleEpoch } from '../../test/epochs.ts'
import { bonded, createSubscribed } from '../../test/evidence.ts'
import { runSql } from '../../test/tables.ts'

const chain = new FakeChain()
beforeEach(() => {
  chain.install()
  chain.down = false
  chain.callAnswer = 12n
  chain.minedRevert = null
})

const tokens = (items: { token: { address: string }; amount: string }[]) =>
  items.map(({ token, amount }) => [token.address, amount])
const native = `0x${'0'.repeat(40)}`
const own = `0x${'c0'.repeat(20)}`
const treasury = (caller = client({ bindings: {} })) => caller.get('/v1/network/treasury')

test('GET /v1/network/treasury reads the balances of the treasury contract, and caches them', async () => {
  const caller = client({ bindings: {} })
  const { address, balances } = await bodyOf(treasury(caller))
  expect(address).toBe(`0x${'c6'.repeat(20)}`)
  expect(tokens(balances)).toEqual([
    [native, String(chain.balance)],
    [own, '12'],
  ])
  chain.callAnswer = 13n
  expect(tokens((await bodyOf(treasury(caller))).balances)).toContainEqual([own, '12'])
})

test('GET /v1/network/treasury lists the tokens in which settled epochs pay the treasury', async () => {
  const project = await createProject()
  await settleEpoch(project, { by: await createValidators(1), units: [{ miner: own, units: 3 }] })
  const other = { address: `0x${'ef'.repeat(20)}`, symbol: 'ABC', name: 'Other', decimals: 6 }
  await runSql("UPDATE epoch_receipts SET state = 'settled', token = ?", JSON.stringify(other))
  const shown = async () => tokens((await bodyOf(treasury())).balances).map(([token]) => token)
  expect(await shown()).toEqual([native, own, other.address])
  await runSql("UPDATE epoch_receipts SET totals = json_set(totals, '$.treasury', '0')")
  expect(await shown()).toEqual([native, own])
})

test('GET /v1/accounts/{address}/balances shows tokens, unclaimed payouts and collateral', async () => {
  const project = await createProject()
  const { owner, subscriptionId: id } = await createSubscribed(project.projectId)
  await indexState('subscription', id, bonded(7n, owner.address))
  const other = { address: `0x${'ee'.repeat(20)}`, symbol: 'ABC', name: 'Other', decimals: 6 }
  await runSql('UPDATE subscriptions SET token = ? WHERE subscription_id = ?', JSON.stringify(other), id)
  const receipt = await settleEpoch(project, {
    by: await createValidators(1),
    units: [{ miner: owner.address, units: 3 }],
  })
  const read = () => client().get(`/v1/accounts/${owner.address}/balances`)
  const found = await bodyOf(read())
  expect(tokens(found.balances)).toEqual([
    [native, String(chain.balance)],
    [own, '12'],
    [other.address, '12'],
  ])
  expect(tokens(found.unclaimed)).toEqual([[own, receipt.compute_units[0]?.amount]])
  expect(found.unclaimed_partial).toBe(false)
  expect(found).toMatchObject({ collateral_bonded: '7', block_number: chain.head })
  // A token that does not answer is left out.
  chain.minedRevert = '0x'
  expect(tokens((await bodyOf(read())).balances)).toEqual([[native, String(chain.balance)]])
})

test('429 rate_limited: one client address has the chain asked for balances 1,200 times a minute at most', async () => {
  const project = await createProject()
  const { owner } = await createSubscribed(project.projectId)
  const other = { address: `0x${'ee'.repeat(20)}`, symbol: 'ABC', name: 'Other', decimals: 6 }
  await runSql('UPDATE subscriptions SET token = ? WHERE owner = ?', JSON.stringify(other), owner.address)
  const caller = client({ address: freshAddress() })
  let asked = 0
  chain.onCall = () => {
    asked += 1
  }
  onTestFinished(() => {
    chain.onCall = null
  })
  const read = () => caller.get(`/v1/accounts/${owner.address}/balances`)
  for (let calls = 0; calls < 300; calls++) expect((await read()).status).toBe(200)
  await expectRefusal(read(), '429 rate_limited')
  expect(asked).toBe(1_200)
})

test('503 unavailable while the chain does not answer', async () => {
  chain.down = true
  await expectRefusal(treasury(), '503 unavailable')
  await expectRefusal(client().get(`/v1/accounts/${native}/balances`), '503 unavailable')
})
