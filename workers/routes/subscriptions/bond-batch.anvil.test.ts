import { env } from 'cloudflare:workers'
import { decodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { stakingAbi } from '../../../contracts/generated/contracts.ts'
import type { GaslessPayload } from '../../../protocol/actions/index.ts'
import { services } from '../../services.ts'
import { createMiner, createOwner } from '../../test/callers.ts'
import { chain, finalizeRelays, mint, passUnbonding, signedPayload, signTypedData } from '../../test/chain.ts'
import { bodyOf, client, expectInvalid, expectRefusal, statusAndBody } from '../../test/client.ts'
import { createSubscribed } from '../../test/subscribed.ts'
import { createDescribedMiner, createListedProject, minCollateral } from '../../test/subscription.ts'

const projects = await Promise.all(['one', 'two', 'three'].map((slug) => createListedProject({ slug })))
const path = '/v1/subscriptions/batch/bond'
const collateral = String(minCollateral)
const offered = async () => (await services(env).relayer?.health())?.nextNonce

interface Batch {
  items: { subscription_id: string; error: string | null }[]
  bond: GaslessPayload & { preview: object; direct_tx: { data: Hex } }
}

/** A device that works for three projects, which wait for collateral. */
async function beginThree(balance = 4n * minCollateral) {
  const miner = await createDescribedMiner()
  const { owner, device } = miner
  await mint(owner.address, balance)
  const items = projects.map((project_id) => ({ project_id, node_id: device.nodeId, collateral }))
  const begun = await bodyOf<Batch>(owner.client.post('/v1/subscriptions/batch', { items }))
  const ids = begun.items.map(({ subscription_id }) => subscription_id)
  const post = (body: unknown) => owner.client.post(path, body)
  const ask = (amounts: string[], of = ids) =>
    post({ items: of.map((subscription_id, i) => ({ subscription_id, amount: amounts[i] })) })
  const read = () =>
    Promise.all(
      ids.map(async (id) => {
        const { status, collateral } = await bodyOf(client().get(`/v1/subscriptions/${id}`))
        return [status, collateral]
      }),
    )
  return { ...miner, ...begun, ids, post, ask, read }
}

describe.skipIf(chain === null)('one signature for several bonds, on the contracts', () => {
  test('bonds all subscriptions of a batch, and tops up all of them', async () => {
    const { owner, device, ids, bond, post, ask, read } = await beginThree()
    const sum = String(3n * minCollateral)
    expect(bond).toMatchObject({
      action: 'bond_batch',
      typed_data: {
        primaryType: 'BondBatch',
        message: { projectIds: projects, amounts: Array(3).fill(collateral), nonce: '0' },
      },
      permit: { message: { value: sum } },
      preview: { ok: true, reason: null, cost_wei: expect.stringMatching(/^[1-9]/) },
    })
    const { functionName, args } = decodeFunctionData({ abi: stakingAbi, data: bond.direct_tx.data })
    const key = (await services(env).devices.find(device.nodeId))?.publicKey
    expect([functionName, args]).toEqual([
      'bondBatch',
      [projects, Array(3).fill(key), Array(3).fill(minCollateral)],
    ])

    const body = signedPayload(owner.key, bond)
    const [status, relayed] = await statusAndBody(post(body))
    expect([status, relayed]).toMatchObject([202, { action: 'bond_batch' }])
    await finalizeRelays()
    const done = await bodyOf(client().get(`/v1/transactions/${relayed.id}`))
    expect(done).toMatchObject({ status: 'confirmed', indexed: true, error: null })
    expect(await read()).toEqual(Array(3).fill(['active', collateral]))

    // The same signature again is the same transaction.
    expect(await statusAndBody(post(body))).toEqual([202, done])
    const more = await bodyOf<GaslessPayload>(ask(['1', '2', '3']))
    expect(more).toMatchObject({ typed_data: { message: { amounts: ['1', '2', '3'], nonce: '1' } } })
    expect((await post(signedPayload(owner.key, more))).status).toBe(202)
    await finalizeRelays()
    expect((await read()).map(([, held]) => BigInt(String(held)) - minCollateral)).toEqual([1n, 2n, 3n])
    expect(ids).toHaveLength(3)
  })

  test('transfers tokens for all subscriptions or for none', async () => {
    const { owner, ask, bond, post, read } = await beginThree(2n * minCollateral)
    expect(bond.preview).toMatchObject({ ok: false, reason: expect.stringContaining('holds 14') })
    const before = await offered()
    await expectRefusal(post(signedPayload(owner.key, bond)), '422 insufficient_collateral')
    const two = await bodyOf<GaslessPayload>(ask([collateral, collateral, '1']))
    await expectRefusal(post(signedPayload(owner.key, two)), '422 insufficient_collateral', {
      details: { reason: 'bond_minimum' },
    })
    expect(await offered()).toBe(before)
    expect(await read()).toEqual(Array(3).fill(['pending_collateral', '0']))
  })

  test('refuses unknown, foreign and unbonding subscriptions', async () => {
    const { owner, ids, bond, ask, post } = await beginThree()
    const unknown = `0x${'77'.repeat(32)}`
    await expectRefusal(ask(['1', '1'], [ids[0] as string, unknown]), '404 not_found')
    const other = await createSubscribed(projects[0] as string)
    await expectRefusal(ask(['1', '1'], [ids[0] as string, other.id]), '403 not_owner')
    expect((await post(signedPayload(owner.key, bond))).status).toBe(202)
    await finalizeRelays()
    const call = (name: string, body?: unknown) =>
      owner.client.post(`/v1/subscriptions/${ids[1]}/${name}`, body)
    await call('unbond', signedPayload(owner.key, await bodyOf(call('unbond'))))
    await finalizeRelays()
    await expectRefusal(ask(['1', '1', '1']), '409 invalid_state')
    await passUnbonding()
  })

  test('is not relayed if anything differs from the signature of the owner', async () => {
    const { owner, bond, post } = await beginThree()
    const honest = signedPayload(owner.key, bond)
    const { typed_data } = honest
    const { message } = typed_data as { message: Record<string, unknown> }
    const before = await offered()
    const signedAs = (change: object) => {
      const data = { ...typed_data, message: { ...message, ...change } } as typeof typed_data
      return { ...honest, typed_data: data, signature: signTypedData(owner.key, data) }
    }
    const changed = (change: object) => ({
      ...honest,
      typed_data: { ...typed_data, message: { ...message, ...change } },
    })
    const [first, ...others] = projects
    const reordered = [...others, first]
    for (const [body, refusal] of [
      [changed({ projectIds: reordered }), '422 bad_signature'],
      [changed({ amounts: ['1', collateral, collateral] }), '400 invalid_field'],
      [changed({ amounts: [collateral] }), '400 invalid_field'],
      [signedAs({ owner: `0x${'01'.repeat(20)}` }), '400 invalid_field'],
      [signedAs({ nonce: '9' }), '409 conflict'],
      [{ ...honest, permit_signature: honest.signature }, '422 bad_signature'],
      [signedAs({ projectIds: [`0x${'77'.repeat(32)}`, ...others] }), '404 not_found'],
    ] as const)
      await expectRefusal(post(body), refusal)
    const stranger = await createOwner()
    await expectRefusal(stranger.client.post(path, honest), '404 not_found')
    expect(await offered()).toBe(before)
  })
})

test('a request names one to 200 subscriptions, each once, with amounts above 0', async () => {
  const { owner } = await createMiner()
  const item = { subscription_id: `0x${'77'.repeat(32)}`, amount: '1' }
  const many = Array.from({ length: 201 }, (_, i) => ({
    ...item,
    subscription_id: `0x${String(i).padStart(64, '0')}`,
  }))
  for (const [items, member] of [
    [[], 'items'],
    [many, 'items'],
    [[item, item], 'items'],
    [[{ ...item, amount: '0' }], 'items[0].amount'],
  ] as const)
    await expectInvalid(owner.client.post(path, { items }), member)
})

test('a truncated body is refused, and nothing is sent', async () => {
  const { owner } = await createDescribedMiner()
  const before = await offered()
  const headers = { 'Content-Type': 'application/json' }
  const broken = owner.client.fetch(path, { method: 'POST', body: '{"typed_data":', headers })
  await expectRefusal(broken, '400 bad_request')
  expect(await offered()).toBe(before)
})
