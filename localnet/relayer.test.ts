import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasAnvil } from './testing/anvil.ts'
import { probeCount } from './testing/probe.ts'
import { runRelayChaos } from './testing/relay-chaos.ts'
import {
  action,
  freshId,
  probeAddress,
  type RelayerNetwork,
  startRelayerNetwork,
} from './testing/relayer-network.ts'

describe.skipIf(!hasAnvil)('the relayer on a chain', () => {
  let network: RelayerNetwork
  beforeAll(async () => {
    network = await startRelayerNetwork()
  })
  afterAll(() => network?.stop())

  const statusOf = async (id: string) => (await network.relayer.find(id))?.status
  const countOnChain = async () =>
    Number(await network.chain.rpc('eth_getTransactionCount', network.signer, 'latest'))

  test('carries an action onto the chain, and answers a repetition with what became of it', async () => {
    const request = action()
    expect(await network.relayer.relay(request)).toMatchObject({
      status: 'accepted',
      relay: { id: request.id, action: 'bond', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    })
    await expect.poll(() => statusOf(request.id)).toBe('confirmed')
    expect(await network.relayer.relay(request)).toMatchObject({
      status: 'accepted',
      relay: { status: 'confirmed', confirmations: 1 },
    })
  })

  test('refuses what would revert, with the decoded reason, and takes no nonce for it', async () => {
    const done = action()
    await network.relayer.relay(done)
    await expect.poll(() => statusOf(done.id)).toBe('confirmed')
    const { nextNonce } = await network.relayer.health()
    const id = freshId()
    expect(await network.relayer.relay(action({ id, data: done.data }))).toMatchObject({
      status: 'refused',
      name: 'InvalidAccountNonce',
      reason: `InvalidAccountNonce(${network.signer}, ${BigInt(done.id)})`,
    })
    expect(await network.relayer.find(id)).toBeNull()
    expect((await network.relayer.health()).nextNonce).toBe(nextNonce)
  })

  test('200 at once, 10 of which revert and 50 of which come twice: 190 mined, without a gap or a duplicate', async () => {
    const done = action()
    await network.relayer.relay(done)
    await expect.poll(() => statusOf(done.id)).toBe('confirmed')
    const [countBefore, doneBefore] = [await countOnChain(), await probeCount(network.chain, probeAddress)]
    const good = Array.from({ length: 190 }, () => action())
    const bad = Array.from({ length: 10 }, () => action({ data: done.data }))
    const results = await Promise.all([...good, ...bad, ...good.slice(0, 50)].map(network.relayer.relay))
    expect(results.filter(({ status }) => status === 'refused')).toHaveLength(10)
    await expect.poll(async () => (await network.relayer.health()).open).toBe(0)
    expect(await countOnChain()).toBe(countBefore + 190)
    expect(await probeCount(network.chain, probeAddress)).toBe(doneBefore + 190)
    expect(await network.chain.rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    for (const { id } of good) expect(await statusOf(id)).toBe('confirmed')
  })

  test('one action of a lane at a time: five in a row pass, of two at once one is told to wait for the other', async () => {
    const lane = 'owner contract'
    for (let i = 0; i < 5; i++) {
      const { id } = action()
      expect(await network.relayer.relay(action({ id, lane }))).toMatchObject({ status: 'accepted' })
      await expect.poll(() => statusOf(id)).toBe('confirmed')
    }
    const [one, two] = [action({ lane }), action({ lane })]
    const [first, second] = await Promise.all([network.relayer.relay(one), network.relayer.relay(two)])
    expect([first, second]).toContainEqual(expect.objectContaining({ status: 'accepted' }))
    const [ahead] = first?.status === 'accepted' ? [one] : [two]
    expect([first, second]).toContainEqual({ status: 'busy', id: ahead.id })
  })

  test('without the balance for it, or above the fee cap, nothing is taken', async () => {
    await network.relayer.relay(action())
    await expect.poll(async () => (await network.relayer.health()).open).toBe(0)
    const { nextNonce, balanceWei } = await network.relayer.health()
    const dear = action({ to: network.signer, data: '0x', valueWei: String(BigInt(balanceWei ?? 0) - 1n) })
    expect((await network.relayer.relay(dear)).status).not.toBe('accepted')
    expect((await network.relayer.health()).nextNonce).toBe(nextNonce)
  })
})

describe.skipIf(!hasAnvil)('the relayer on a chain that fails', () => {
  test.each([1, 2])(
    'seed %i: every action taken is done once, though workerd is killed twice',
    async (seed) => {
      const result = await runRelayChaos({ seed, actions: 40, crashes: 2, faultRate: 0.3 })
      expect(result).toMatchObject({ accepted: 40, confirmed: 40, done: 40, nonces: 40, waiting: 0 })
    },
    60_000,
  )
})
