import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { projectRegistryAbi } from '../contracts/generated/contracts.ts'
import { hasAnvil } from '../testing/anvil.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { startSharedRelayerNetwork } from '../testing/relayer-network.ts'
import { relayingVars, relayOfOwnersOn } from '../testing/relaying-owners.ts'
import { waitingIn } from '../testing/transaction-pool.ts'

interface Pooled {
  hash: string
  maxFeePerGas: string
  maxPriorityFeePerGas: string
}

const gwei = (amount: number) => `0x${(amount * 1e9).toString(16)}`
const freshId = (): string => `0x${randomBytes(32).toString('hex')}`

/** Each part begins on it again, as after its deployment. */
let network: Awaited<ReturnType<typeof startSharedRelayerNetwork>>
const rpc = <T>(method: string, ...params: unknown[]) => network.chain.rpc<T>(method, ...params)
const find = (id: string) => network.relayer.find(id)
const statusOf = async (id: string) => (await find(id))?.status

beforeAll(async () => {
  if (hasAnvil) network = await startSharedRelayerNetwork({ statePath: temporaryFolder() })
})
afterAll(() => network?.stop())

describe.skipIf(!hasAnvil)('the relayer on a chain', () => {
  beforeAll(() => network.begin())

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

describe.skipIf(!hasAnvil)('a transaction that no block includes', () => {
  beforeEach(() => network.begin({ RELAYER_FEE_CAP_GWEI: '20' }))

  const pooled = async (nonce = 0): Promise<Pooled | undefined> => {
    const { pending } = await rpc<{ pending: Record<string, Record<string, Pooled>> }>('txpool_content')
    const own = Object.entries(pending).find(([from]) => from.toLowerCase() === network.relayer.signer)?.[1]
    return own?.[nonce]
  }

  test('is replaced with the same nonce, with both fees raised by 10 % or more, and mined once', async () => {
    await rpc('evm_setAutomine', false)
    const request = network.action()
    expect(await network.relayer.relay(request)).toMatchObject({ status: 'accepted' })
    const first = (await pooled()) as Pooled
    await expect.poll(async () => (await pooled())?.hash).not.toBe(first.hash)
    const second = (await pooled()) as Pooled
    expect(BigInt(second.maxFeePerGas) * 10n).toBeGreaterThanOrEqual(BigInt(first.maxFeePerGas) * 11n)
    expect(BigInt(second.maxPriorityFeePerGas) * 10n).toBeGreaterThanOrEqual(
      BigInt(first.maxPriorityFeePerGas) * 11n,
    )
    await rpc('evm_setAutomine', true)
    await rpc('evm_mine')
    await expect.poll(() => statusOf(request.id)).toBe('confirmed')
    expect(await network.done()).toEqual([request.projectId])
  })

  test('is sent again after the pool dropped it', async () => {
    await rpc('evm_setAutomine', false)
    const requests = [network.action(), network.action(), network.action()]
    for (const request of requests) await network.relayer.relay(request)
    const dropped = (await pooled(0)) as Pooled
    await rpc('anvil_dropTransaction', dropped.hash)
    await rpc('evm_setAutomine', true)
    await expect
      .poll(async () => {
        await rpc('evm_mine')
        return (await network.relayer.health()).open
      })
      .toBe(0)
    expect(await network.done()).toEqual(requests.map(({ projectId }) => projectId))
    expect(await rpc('eth_getTransactionCount', network.relayer.signer, 'latest')).toBe('0x3')
  })

  test('survives a base fee above the cap, and is mined once the base fee has fallen', async () => {
    await rpc('evm_setAutomine', false)
    const request = network.action()
    await network.relayer.relay(request)
    await rpc('anvil_setNextBlockBaseFeePerGas', gwei(100))
    await rpc('evm_mine')
    await expect.poll(async () => (await network.relayer.health()).status).toBe('unavailable')
    expect(await network.relayer.relay(network.action())).toEqual({ status: 'unavailable', part: 'fees' })
    expect((await network.relayer.health()).nextNonce).toBe(1)
    expect(await statusOf(request.id)).toBe('sent')

    await rpc('anvil_setNextBlockBaseFeePerGas', gwei(5))
    await rpc('evm_mine')
    await expect
      .poll(async () => {
        await rpc('anvil_setNextBlockBaseFeePerGas', gwei(5))
        await rpc('evm_mine')
        return statusOf(request.id)
      })
      .toBe('confirmed')
    expect(await network.done()).toEqual([request.projectId])
  })

  test('is not accepted while the balance does not cover it', async () => {
    await rpc('anvil_setBalance', network.relayer.signer, '0x1')
    expect((await network.relayer.relay(network.action())).status).toBe('unavailable')
    expect(await network.relayer.health()).toMatchObject({ nextNonce: 0, open: 0 })
  })
})

describe.skipIf(!hasAnvil)('a mined transaction', () => {
  beforeEach(() => network.begin({ CHAIN_CONFIRMATIONS: '4' }))

  test('is not final before its depth; if a reorganisation removes it, it is mined again, once', async () => {
    await rpc('anvil_mine', '0x5')
    const request = network.action()
    await network.relayer.relay(request)
    await expect.poll(() => find(request.id)).toMatchObject({ status: 'sent', confirmations: 1 })
    await rpc('evm_mine')
    await expect.poll(() => find(request.id)).toMatchObject({ status: 'sent', confirmations: 2 })

    await rpc('evm_setAutomine', false)
    await rpc('anvil_reorg', 2, [])
    expect(await rpc('eth_getTransactionCount', network.relayer.signer, 'latest')).toBe('0x0')
    await expect.poll(() => find(request.id)).toMatchObject({ status: 'sent', confirmations: 0 })
    await expect
      .poll(async () => {
        await rpc('evm_mine')
        return (await find(request.id))?.status
      })
      .toBe('confirmed')
    expect(await network.done()).toEqual([request.projectId])
    expect(await rpc('eth_getTransactionCount', network.relayer.signer, 'latest')).toBe('0x1')
  })

  /** Pays more than the relayer, so it comes first in the block. */
  const sendFirst = (from: string | undefined, to: string, data: string) =>
    rpc<string>('eth_sendTransaction', {
      from,
      to,
      data,
      maxFeePerGas: gwei(900),
      maxPriorityFeePerGas: gwei(500),
    })

  test('that reverts is reported with the reason', async () => {
    await rpc('evm_setAutomine', false)
    const request = network.action()
    expect(await network.relayer.relay(request)).toMatchObject({ status: 'accepted' })
    await rpc('anvil_setBalance', request.owner, gwei(10 ** 9))
    await rpc('anvil_impersonateAccount', request.owner)
    const hash: Hex = `0x${'0f'.repeat(32)}`
    const args = ['project', hash, hash, hash] as const
    const data = encodeFunctionData({ abi: projectRegistryAbi, functionName: 'register', args })
    await sendFirst(request.owner, request.to, data)
    await rpc('evm_mine')
    await expect
      .poll(async () => {
        await rpc('evm_mine')
        return find(request.id)
      })
      .toMatchObject({ status: 'reverted', error: `AlreadyRegistered(${request.projectId})` })
  })

  test('that reverts because another sender submitted the action first shows the result of that one', async () => {
    await rpc('evm_setAutomine', false)
    const request = network.action()
    expect(await network.relayer.relay(request)).toMatchObject({ status: 'accepted' })
    const [other] = await rpc<string[]>('eth_accounts')
    const txHash = await sendFirst(other, request.to, request.data)
    await rpc('evm_mine')
    await expect
      .poll(async () => {
        await rpc('evm_mine')
        return find(request.id)
      })
      .toMatchObject({ status: 'confirmed', txHash, error: null })
    expect(await network.done()).toEqual([request.projectId])
  })
})

describe.skipIf(!hasAnvil)('owners who relay at once', () => {
  beforeAll(() => network.begin(relayingVars))

  test('every accepted action is mined once, reverting actions use no nonce, repetitions get the same answer', async () => {
    const result = await relayOfOwnersOn(network, { owners: 20, refused: 2, repeated: 2, times: 10 })
    expect(result).toMatchObject({
      answers: { 202: 18, 409: 2 },
      differing: 0,
      nonces: 18,
      done: 18,
      twice: 0,
      waiting: 0,
    })
  })
})

describe.skipIf(!hasAnvil)('a relayer key that is replaced', () => {
  beforeAll(() => network.begin())

  test('a pending transfer is executed once, although it is requested again under the new key', async () => {
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
  })
})
