import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { projectRegistryAbi } from '../contracts/generated/contracts.ts'
import { hasAnvil } from '../testing/anvil.ts'
import { startSharedRelayerNetwork } from '../testing/relayer-network.ts'

interface Pooled {
  hash: string
  maxFeePerGas: string
  maxPriorityFeePerGas: string
}

const gwei = (amount: number) => `0x${(amount * 1e9).toString(16)}`

let network: Awaited<ReturnType<typeof startSharedRelayerNetwork>>
const rpc = <T>(method: string, ...params: unknown[]) => network.chain.rpc<T>(method, ...params)

beforeAll(async () => {
  if (hasAnvil) network = await startSharedRelayerNetwork()
})
afterAll(() => network?.stop())

describe.skipIf(!hasAnvil)('a transaction that no block includes', () => {
  beforeEach(() => network.begin({ RELAYER_FEE_CAP_GWEI: '20' }))

  const statusOf = async (id: string) => (await network.relayer.find(id))?.status
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

  const find = async (id: string) => network.relayer.find(id)

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
