import { env } from 'cloudflare:workers'
import { encodeAbiParameters, encodeEventTopics, type Hex } from 'viem'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { stakingEvents } from '../../contracts/generated/events.ts'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { freshRelayerObject } from '../../durable-objects/testing/relayer-object.ts'
import { createChainClient } from '../chain/client.ts'
import { services } from '../services.ts'
import { emptyTables } from '../test/tables.ts'
import { encodeActionCall } from './action-calls.ts'
import { followForeignActions } from './foreign-actions.ts'
import { findForeignSubmission } from './foreign-submission.ts'

let chain: FakeChain
beforeEach(() => {
  chain = new FakeChain().install()
})

const hex32 = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const staking = `0x${'0b'.repeat(20)}`

describe('the transaction that carried a signed action', () => {
  const client = createChainClient({ rpcUrl: 'http://chain.test', timeoutMs: 3_000 })
  const subscriptionId = hex32(7) as Hex
  const payout = `0x${'0c'.repeat(20)}` as const
  const signature = `0x${'5a'.repeat(65)}` as const
  const request = {
    action: 'set_payout',
    to: staking,
    data: encodeActionCall('set_payout', {
      digest: hex32(1),
      message: { owner: `0x${'0a'.repeat(20)}`, subscriptionId, payout, nonce: '0', deadline: 1 },
      signature,
      permit: null,
    } as never),
  }

  /** Blocks with `count` events of the same content, each from a transaction of its own, the last one first in its block. */
  const emit = (count: number) => {
    const { abi } = stakingEvents.PayoutSet
    const topics = encodeEventTopics({ abi: [abi], eventName: 'PayoutSet', args: { subscriptionId } })
    const data = encodeAbiParameters([{ type: 'address' }], [payout])
    const logs = Array.from({ length: count }, (_, index) => ({
      transactionHash: hex32(1_000 + index),
      blockNumber: '0x9',
      topics,
      data,
    }))
    chain.nonsense.set('eth_getLogs', logs)
  }

  const asked = (method: string) => {
    const calls: string[] = []
    chain.onCall = (one) => one === method && calls.push(one)
    return calls
  }

  test('is searched among a limited number of transactions, however often its owner did the same', async () => {
    emit(400)
    chain.nonsense.set('eth_getTransactionByHash', { input: '0x' })
    const calls = asked('eth_getTransactionByHash')
    expect(await findForeignSubmission(client, request)).toBeNull()
    expect(calls).toHaveLength(50)
  })

  test('is the newest one that carries the signature', async () => {
    emit(400)
    chain.nonsense.set('eth_getTransactionByHash', { input: `0x01${signature.slice(2)}` })
    expect(await findForeignSubmission(client, request)).toEqual({
      txHash: hex32(1_399),
      blockNumber: 9,
      confirmations: 2,
    })
  })

  test('is not declared missing by a node that lacks the block by which it must have been mined', async () => {
    emit(0)
    await expect(findForeignSubmission(client, request, chain.head + 1)).rejects.toThrow('lags')
    expect(await findForeignSubmission(client, request, chain.head)).toBeNull()
  })

  test('is searched in ranges of blocks that every provider answers', async () => {
    chain.head = 5_000
    emit(1)
    chain.nonsense.set('eth_getTransactionByHash', { input: signature })
    const ranges: number[] = []
    const answer = vi.mocked(fetch).getMockImplementation() as typeof fetch
    vi.mocked(fetch).mockImplementation((url, init) => {
      const calls = [JSON.parse(String(init?.body))].flat() as { method: string; params: unknown[] }[]
      for (const { method, params } of calls) {
        const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>
        if (method === 'eth_getLogs') ranges.push(Number(toBlock) - Number(fromBlock) + 1)
      }
      return answer(url, init)
    })
    expect(await findForeignSubmission(client, request)).toMatchObject({ txHash: hex32(1_000) })
    expect(ranges).toEqual([500, 500, 500, 500])
  })

  test('is searched on another node if the first of several lags', async () => {
    emit(1)
    chain.nonsense.set('eth_getTransactionByHash', { input: signature })
    const toChain = vi.mocked(fetch).getMockImplementation() as typeof fetch
    const behind = new FakeChain().install()
    behind.head = 3
    const toBehind = vi.mocked(fetch).getMockImplementation() as typeof fetch
    vi.mocked(fetch).mockImplementation((url, init) =>
      (String(url).includes('behind') ? toBehind : toChain)(url, init),
    )
    const both = createChainClient({
      rpcUrl: 'http://behind.test,http://chain.test',
      timeoutMs: 3_000,
      chainId: chain.id,
    })
    expect(await findForeignSubmission(both, request, chain.head)).toMatchObject({ txHash: hex32(1_000) })
  })
})

describe('the record of an action that somebody else submitted', () => {
  const { transactions, relayer } = services(env)
  beforeEach(async () => {
    await emptyTables('transactions')
    await freshRelayerObject()
  })

  const record = (id: number, txHash: string, updatedAt: number, confirmations = 3) =>
    transactions.recordForeign({
      id: hex32(id),
      action: 'set_payout',
      owner: `0x${'0a'.repeat(20)}`,
      status: 'sent',
      txHash,
      error: null,
      confirmations,
      createdAt: Math.floor(Date.now() / 1000),
      updatedAt,
      revision: 0,
    })

  test('is the same for everyone who submits the action again, until the chain changes', async () => {
    await record(1, hex32(400), 1)
    expect(await record(1, hex32(400), 2)).toMatchObject({ updatedAt: 1 })
    expect(await record(1, hex32(400), 3, 4)).toMatchObject({ updatedAt: 3, confirmations: 4 })
    expect(await record(1, hex32(401), 4, 4)).toMatchObject({ updatedAt: 4, txHash: hex32(401) })
  })

  test('is updated even if a node does not answer about another one', async () => {
    const sent = { id: hex32(9), action: 'faucet', owner: staking, serializationKey: null }
    await relayer?.relay({ ...sent, to: staking, data: '0x01', valueWei: '0' })
    chain.mine()
    await record(1, hex32(404), 1)
    await record(2, chain.received[0]?.hash ?? '', 2)
    chain.failingReceipts.add(hex32(404))
    await followForeignActions(env)
    expect(await transactions.find(hex32(1))).toMatchObject({ status: 'sent', confirmations: 3 })
    expect(await transactions.find(hex32(2))).toMatchObject({ status: 'confirmed' })
  })

  test('shows no confirmations if the chain has dropped the action, and does not stop updates of others', async () => {
    for (let id = 1; id <= 60; id++) await record(id, hex32(400 + id), id)
    await followForeignActions(env)
    expect(await transactions.find(hex32(1))).toMatchObject({ status: 'sent', confirmations: 0 })
    await followForeignActions(env)
    expect(await transactions.find(hex32(60))).toMatchObject({ confirmations: 0 })
  })
})
