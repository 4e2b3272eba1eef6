import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import type { GaslessPayload } from '../../../protocol/actions/index.ts'
import { services } from '../../services.ts'
import { withAbsentChain } from '../../test/absent-chain.ts'
import { createNode, createOwner, insertNode } from '../../test/callers.ts'
import { chain, finalizeRelays, passUnbonding, signedPayload } from '../../test/chain.ts'
import {
  atOnce,
  bodyOf,
  client,
  errorOf,
  expectAnswer,
  expectRefusal,
  itemsOf,
  pagesOf,
  statusesOf,
} from '../../test/client.ts'
import { createSubscribed } from '../../test/subscribed.ts'
import { createDescribedMiner, createListedProject, minCollateral } from '../../test/subscription.ts'
import { runSql, setListingStatus } from '../../test/tables.ts'

type Json = Record<string, unknown>

const projectId = await createListedProject()

const subscribe = (change: Json = {}) => createSubscribed(projectId, change)

const confirmed = { status: 'confirmed', error: null, indexed: true }
const offered = async () => (await services(env).relayer?.health())?.nextNonce

describe.skipIf(chain === null)('a subscription, on the contracts', () => {
  test('is bonded, unbonded and withdrawn', async () => {
    const { owner, device, created, id, bond, topUp, act, call, read, summary, create } = await subscribe()
    expect(created).toMatchObject({
      subscription: {
        project_id: projectId,
        node_id: device.nodeId,
        owner: owner.address,
        status: 'pending_collateral',
        collateral: '0',
        min_collateral: String(minCollateral),
        collateral_health: 'healthy',
        payout_address: owner.address,
        device_bound: true,
        release_at: null,
        pending_slashes: 0,
        slashed_total: '0',
        reputation: 5000,
        credited_rounds: 0,
        missed_leases: 0,
        disagreements: 0,
        last_proof_at: null,
        started_at: null,
      },
      bond: { action: 'bond', typed_data: { message: { amount: String(minCollateral) } }, direct_tx: {} },
      compatibility: { compatible: true, tier: 'compatible', match_bp: 10_000, performance: 'excellent' },
    })

    expect(await bond()).toMatchObject({ ...confirmed, action: 'bond' })
    expect(await read()).toMatchObject({
      status: 'active',
      collateral: String(minCollateral),
      collateral_health: 'warning',
      started_at: expect.any(Number),
    })
    const miners = async () => {
      const { miners_subscribed, devices_by_class } = await bodyOf<Json>(
        owner.client.get(`/v1/projects/${projectId}/stats`),
      )
      return [miners_subscribed, devices_by_class]
    }
    expect(await miners()).toEqual([1, { desktop: 1 }])
    const untyped = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{}' }
    await expectRefusal(
      owner.client.fetch(`/v1/subscriptions/${id}/bond-payload`, untyped),
      '400 bad_request',
    )
    expect(await topUp(minCollateral)).toMatchObject(confirmed)
    expect(await read()).toMatchObject({
      collateral: String(2n * minCollateral),
      collateral_health: 'healthy',
    })

    const payout = `0x${'0f'.repeat(20)}`
    expect(await act('payout', { payout_address: payout })).toMatchObject({
      ...confirmed,
      action: 'set_payout',
    })
    expect(await read()).toMatchObject({ payout_address: payout })
    expect(await act('payout', { payout: null })).toMatchObject(confirmed)
    expect(await read()).toMatchObject({ payout_address: owner.address })

    expect(await summary()).toEqual({
      bonded: String(2n * minCollateral),
      unbonding: '0',
      withdrawable: '0',
      slashed_total: '0',
      pending_slashes: 0,
      hub_balance: String(minCollateral),
      subscriptions: [await read()],
    })

    expect(await act('unbond')).toMatchObject({ ...confirmed, action: 'unbond' })
    expect(await miners()).toEqual([0, {}])
    const { release_at } = await read()
    expect(await read()).toMatchObject({ status: 'unbonding', release_at: expect.any(Number) })
    expect(await summary()).toMatchObject({ bonded: '0', unbonding: String(2n * minCollateral) })
    await expectRefusal(call('withdraw'), '409 invalid_state', {
      details: { status: 'unbonding', release_at },
    })
    await passUnbonding()
    await finalizeRelays()
    expect(await read()).toMatchObject({ status: 'withdrawable' })
    expect(await summary()).toMatchObject({ unbonding: '0', withdrawable: String(2n * minCollateral) })
    const withdrawals = () => bodyOf(owner.client.get('/v1/me/withdrawals'))
    expect(await withdrawals()).toEqual({ items: [], next_cursor: null })
    const payload = await bodyOf<GaslessPayload>(call('withdraw'))
    const body = signedPayload(owner.key, payload)
    const relayed = await bodyOf(call('withdraw', body))
    const withdrawal = {
      withdrawal_id: relayed.id,
      kind: 'collateral',
      amount: String(2n * minCollateral),
      token: { address: chain?.contracts.token },
      recipient: owner.address,
      epochs: [],
      subscription_id: id,
      fee: '0',
      error: null,
    }
    expect(await withdrawals()).toMatchObject({
      items: [{ ...withdrawal, status: expect.stringMatching(/^(pending|processing)$/), completed_at: null }],
    })
    await finalizeRelays()
    // The same signed body again is the same withdrawal.
    expect(await bodyOf(call('withdraw', body))).toMatchObject({ ...confirmed, action: 'withdraw' })
    expect(await withdrawals()).toMatchObject({
      items: [
        {
          ...withdrawal,
          status: 'completed',
          tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          completed_at: expect.any(Number),
        },
      ],
    })
    expect(await read()).toMatchObject({ status: 'closed', collateral: '0' })
    expect(await summary()).toMatchObject({ hub_balance: String(3n * minCollateral), subscriptions: [] })

    await expectAnswer(create(), 201, {
      subscription: { subscription_id: id, status: 'pending_collateral', payout_address: owner.address },
    })
    expect((await create()).status).toBe(409)
    expect(await itemsOf(owner.client.get('/v1/me/subscriptions'))).toEqual([await read()])
  })

  test('is paused and resumed only by its owner or its device', async () => {
    const { bond, call, device, id, read } = await subscribe()
    await bond()
    expect(await bodyOf(call('pause'))).toMatchObject({
      status: 'paused',
      collateral: String(minCollateral),
    })
    expect(await read()).toMatchObject({ status: 'paused' })
    const byDevice = (verb: string) => device.call('POST', `/v1/subscriptions/${id}/${verb}`)
    expect(await bodyOf(byDevice('resume'))).toMatchObject({ status: 'active' })
    expect((await byDevice('pause')).status).toBe(200)
    const stranger = createNode()
    await insertNode(stranger)
    await expectRefusal(stranger.call('POST', `/v1/subscriptions/${id}/resume`), '403 not_owner')
    expect(await read()).toMatchObject({ status: 'paused' })
  })

  test('accepts only one of ten racing pauses', async () => {
    const { bond, call } = await subscribe()
    await bond()
    const statuses = (await atOnce(10, () => call('pause'))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(409)])
  })

  test('sends one transaction for a bond that is posted ten times at once', async () => {
    const { created, owner, call, read } = await subscribe()
    const before = await offered()
    const body = signedPayload(owner.key, created.bond)
    const answers = await atOnce(10, () => call('bond', body))
    expect(await statusesOf(answers)).toEqual(Array(10).fill(202))
    const ids = await Promise.all(answers.map(async (answer) => (await bodyOf<Json>(answer)).id))
    expect(new Set(ids).size).toBe(1)
    await finalizeRelays()
    expect(await read()).toMatchObject({ collateral: String(minCollateral) })
    expect(await offered()).toBe((before ?? 0) + 1)
  })

  test('stays after its device is unbound, with device_bound false', async () => {
    const { bond, owner, device, read } = await subscribe()
    await bond()
    await runSql('UPDATE devices SET unbound_at = 1 WHERE node_id = ?', device.nodeId)
    expect(await read()).toMatchObject({ status: 'active', device_bound: false, owner: owner.address })
  })
})

describe.skipIf(chain === null)('subscribing', () => {
  test('one of five concurrent requests succeeds; the same Idempotency-Key gets the same answer', async () => {
    const { owner, device } = await createDescribedMiner()
    const input = { project_id: projectId, node_id: device.nodeId, collateral: String(minCollateral) }
    const answers = await atOnce(5, () => owner.client.post('/v1/subscriptions', input))
    expect(await statusesOf(answers)).toEqual([201, 409, 409, 409, 409])
    const taken = answers.find(({ status }) => status === 201)
    expect(taken?.headers.get('location')).toMatch(/^\/v1\/subscriptions\/0x[0-9a-f]{64}$/)

    const other = await createDescribedMiner()
    const again = () =>
      other.owner.client.post(
        '/v1/subscriptions',
        { ...input, node_id: other.device.nodeId },
        { 'Idempotency-Key': 'once' },
      )
    const [first, second] = [await again(), await again()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(await second.json()).toEqual(await first.json())
  })

  test('each refusal, in the order of the rules', async () => {
    const { owner, device } = await createDescribedMiner({ class: 'phone', benchmark: null })
    const stranger = await createOwner()
    const unlisted = await createListedProject()
    await setListingStatus(unlisted, 'paused')
    const input = { project_id: unlisted, node_id: device.nodeId, collateral: 'much' }
    const post = async (caller: typeof owner.client, json: Json) =>
      errorOf(caller.post('/v1/subscriptions', json))
    expect(await post(stranger.client, input)).toMatchObject({ status: 404, error: 'not_found' })
    const listed = { ...input, project_id: projectId }
    expect(await post(stranger.client, listed)).toMatchObject({ status: 400, error: 'invalid_field' })
    const numbered = { ...listed, collateral: '1' }
    expect(await post(stranger.client, numbered)).toMatchObject({ status: 403, error: 'not_owner' })
    expect(await post(owner.client, { ...numbered, node_id: createNode().nodeId })).toMatchObject({
      status: 403,
      error: 'not_owner',
    })
    expect(await post(owner.client, numbered)).toMatchObject({
      status: 422,
      error: 'incompatible',
      details: { missing: ['device_class'], warnings: ['unknown_benchmark'], match_bp: 6666 },
    })
    await device.call('PUT', `/v1/devices/${device.nodeId}/profile`, {
      class: 'desktop',
      platform: 'linux',
      arch: 'x64',
      engine: 'native',
      miner_version: '1.0.0',
      nodectl_version: '1.0.0',
    })
    expect(await post(owner.client, { ...numbered, collateral: String(minCollateral - 1n) })).toMatchObject({
      status: 422,
      error: 'insufficient_collateral',
      details: { min_collateral: String(minCollateral) },
    })
    const enough = { ...numbered, collateral: String(minCollateral) }
    expect(await bodyOf(owner.client.post('/v1/subscriptions', enough))).toMatchObject({
      compatibility: { tier: 'marginal', compatible: true },
    })
    expect(await post(owner.client, enough)).toMatchObject({ status: 409, error: 'already_exists' })
    expect(await post(owner.client, { ...enough, more: 1 })).toMatchObject({
      status: 400,
      error: 'invalid_field',
    })
  })

  test('503 unavailable: the chain does not answer; no record is stored', async () => {
    const { owner, device } = await createDescribedMiner()
    const input = { project_id: projectId, node_id: device.nodeId, collateral: String(minCollateral) }
    await withAbsentChain(async (bindings) => {
      const down = client({ token: owner.token, bindings })
      await expectRefusal(down.post('/v1/subscriptions', input), '503 unavailable')
    })
    expect((await owner.client.post('/v1/subscriptions', input)).status).toBe(201)
  })

  test('422 insufficient_collateral: the wallet has fewer tokens than it bonds', async () => {
    const { created, owner, call } = await subscribe({ collateral: String(9n * minCollateral) })
    const before = await offered()
    await expectRefusal(call('bond', signedPayload(owner.key, created.bond)), '422 insufficient_collateral', {
      details: { balance: String(3n * minCollateral) },
    })
    expect(await offered()).toBe(before)
  })
})

describe.skipIf(chain === null)('reading', () => {
  test('lists the subscriptions of the wallet in pages', async () => {
    const { owner, device } = await createDescribedMiner()
    const projects = [projectId, await createListedProject(), await createListedProject()]
    for (const project_id of projects)
      await owner.client.post('/v1/subscriptions', {
        project_id,
        node_id: device.nodeId,
        collateral: String(minCollateral),
      })
    const pages = await pagesOf(owner.client, '/v1/me/subscriptions', 2)
    expect(pages.map(({ length }) => length)).toEqual([2, 1])
    expect(
      pages
        .flat()
        .map(({ project_id }) => project_id)
        .sort(),
    ).toEqual(projects.sort())
  })

  test('sums the collateral even if the chain does not answer', async () => {
    const { owner } = await subscribe()
    await withAbsentChain(async (bindings) => {
      const down = client({ token: owner.token, bindings })
      expect(await bodyOf(down.get('/v1/me/collateral'))).toMatchObject({
        bonded: '0',
        hub_balance: null,
      })
    })
  })
})
