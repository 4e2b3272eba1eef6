import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasAnvil } from '../testing/anvil.ts'
import { type RelayerNetwork, startRelayerNetwork } from '../testing/relayer-network.ts'
import { waitingIn } from '../testing/transaction-pool.ts'

const freshId = (): string => `0x${randomBytes(32).toString('hex')}`

describe.skipIf(!hasAnvil)('the relayer on a chain', () => {
  let network: RelayerNetwork
  beforeAll(async () => {
    network = await startRelayerNetwork()
  })
  afterAll(() => network?.stop())

  const statusOf = async (id: string) => (await network.relayer.find(id))?.status
  const relayed = async () => {
    const request = network.action()
    await network.relayer.relay(request)
    await expect.poll(() => statusOf(request.id)).toBe('confirmed')
    return request
  }

  test('submits an action on chain, and answers a repetition with its status', async () => {
    const request = network.action()
    expect(await network.relayer.relay(request)).toMatchObject({
      status: 'accepted',
      relay: {
        id: request.id,
        action: 'register_project',
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    })
    await expect.poll(() => statusOf(request.id)).toBe('confirmed')
    expect(await network.relayer.relay(request)).toMatchObject({
      status: 'accepted',
      relay: { status: 'confirmed', confirmations: 1 },
    })
  })

  test('refuses an action that would revert, with the decoded reason, and uses no nonce for it', async () => {
    const done = await relayed()
    const { nextNonce } = await network.relayer.health()
    const id = freshId()
    expect(await network.relayer.relay({ ...done, id })).toMatchObject({
      status: 'refused',
      name: 'InvalidAccountNonce',
      reason: `InvalidAccountNonce(${done.owner}, 1)`,
    })
    expect(await network.relayer.find(id)).toBeNull()
    expect((await network.relayer.health()).nextNonce).toBe(nextNonce)
  })

  test('of 200 concurrent actions, of which 10 revert and 50 come twice, it mines 190 without gap or duplicate', async () => {
    const done = await relayed()
    const minedBefore = await network.relayer.mined()
    const good = Array.from({ length: 190 }, () => network.action())
    const bad = Array.from({ length: 10 }, () => ({ ...done, id: freshId() }))
    const results = await Promise.all([...good, ...bad, ...good.slice(0, 50)].map(network.relayer.relay))
    expect(results.filter(({ status }) => status === 'refused')).toHaveLength(10)
    await expect.poll(async () => (await network.relayer.health()).open).toBe(0)
    expect(await network.relayer.mined()).toBe(minedBefore + 190)
    const projects = await network.done()
    for (const { projectId } of good) expect(projects.filter((id) => id === projectId)).toHaveLength(1)
    // The chain empties its pool a moment after it mined the block.
    await expect.poll(() => waitingIn(network.chain)).toBe(0)
    for (const { id } of good) expect(await statusOf(id)).toBe('confirmed')
  })

  test('runs one action of a serialization key at a time: five in a row pass; of two at once, one must wait', async () => {
    const serializationKey = 'owner contract'
    for (let i = 0; i < 5; i++) {
      const request = network.action({ serializationKey })
      expect(await network.relayer.relay(request)).toMatchObject({ status: 'accepted' })
      await expect.poll(() => statusOf(request.id)).toBe('confirmed')
    }
    const [one, two] = [network.action({ serializationKey }), network.action({ serializationKey })]
    const [first, second] = await Promise.all([network.relayer.relay(one), network.relayer.relay(two)])
    expect([first, second]).toContainEqual(expect.objectContaining({ status: 'accepted' }))
    const [ahead] = first?.status === 'accepted' ? [one] : [two]
    expect([first, second]).toContainEqual({ status: 'busy', id: ahead.id })
  })

  test('accepts no action that its balance does not cover', async () => {
    await expect.poll(async () => (await network.relayer.health()).open).toBe(0)
    const { nextNonce, balanceWei } = await network.relayer.health()
    const { signer } = network.relayer
    const dear = { to: signer, data: '0x', valueWei: String(BigInt(balanceWei ?? 0) - 1n) }
    expect((await network.relayer.relay(network.action(dear))).status).not.toBe('accepted')
    expect((await network.relayer.health()).nextNonce).toBe(nextNonce)
  })
})

describe.skipIf(!hasAnvil)('a relayer key that is replaced', () => {
  test('a pending transfer is executed once, although it is requested again under the new key', async () => {
    const statePath = mkdtempSync(path.join(tmpdir(), 'rotation-'))
    const network = await startRelayerNetwork({ statePath })
    try {
      const { rpc } = network.chain
      const recipient = `0x${randomBytes(20).toString('hex')}`
      const gift = network.action({
        id: freshId(),
        to: recipient,
        data: '0x',
        valueWei: '7',
        gasMax: 100_000,
      })
      await rpc('evm_setAutomine', false)
      expect(await network.relayer.relay(gift)).toMatchObject({ relay: { status: 'sent' } })
      const old = network.relayer.signer
      await network.crash([0])
      expect(network.relayer.signer).not.toBe(old)
      expect(await network.relayer.relay(gift)).toMatchObject({
        status: 'accepted',
        relay: { status: 'sent' },
      })
      await rpc('evm_setAutomine', true)
      await rpc('evm_mine')
      await expect.poll(async () => (await network.relayer.find(gift.id))?.status).toBe('confirmed')
      // Neither key does it again, and the new one works.
      const next = network.action()
      await network.relayer.relay(next)
      await expect.poll(async () => (await network.relayer.find(next.id))?.status).toBe('confirmed')
      expect(await rpc('eth_getBalance', recipient, 'latest')).toBe('0x7')
      expect(await rpc('eth_getTransactionCount', old, 'latest')).toBe('0x1')
      expect(await rpc('eth_getTransactionCount', network.relayer.signer, 'latest')).toBe('0x1')
    } finally {
      await network.stop()
      rmSync(statePath, { recursive: true, force: true })
    }
  })
})
