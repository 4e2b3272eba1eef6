import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RpcCall } from '../../testing/rpc-proxy.ts'
import { type Anvil, startAnvil } from '../anvil.ts'
import { readSender, sendCalls } from '../send.ts'
import { deployer, hasAnvil, stranger } from './network.ts'
import { type NodeBehaviour, startRpcProxy } from './rpc-proxy.ts'

describe.skipIf(!hasAnvil)('sendCalls', () => {
  let chain: Anvil
  beforeAll(async () => {
    chain = await startAnvil()
  })
  afterAll(() => chain?.stop())

  const isSending = ({ method }: RpcCall) => method === 'eth_sendRawTransaction'
  const transfers = [1, 2, 3].map(() => ({ to: stranger.address, data: '0x', gas: 30_000n }) as const)
  const count = async () => Number(await chain.rpc('eth_getTransactionCount', deployer.address, 'latest'))
  async function sendThrough(behave: NodeBehaviour) {
    const proxy = await startRpcProxy(chain.url, behave)
    try {
      await sendCalls(proxy.url, deployer, await readSender(proxy.url, deployer.address), transfers)
    } finally {
      await proxy.stop()
    }
  }

  test('sends each transaction after the previous one is mined', async () => {
    const before = await count()
    const minedBefore: number[] = []
    await sendThrough(async (requests, ask) => {
      for (const _ of requests.filter(isSending)) minedBefore.push((await count()) - before)
      return ask(requests)
    })
    expect(minedBefore).toEqual([0, 1, 2])
    expect(await count()).toBe(before + 3)
  })

  test('sends a transaction again if a node accepted and then lost it', async () => {
    const before = await count()
    let forgotten: unknown = null
    await sendThrough(async (requests, ask) => {
      const request = requests[0]!
      if (forgotten !== null || !isSending(request)) return ask(requests)
      forgotten = request.params[0]
      const [hash] = await ask(requests.map((one) => ({ ...one, method: 'web3_sha3' })))
      return [{ id: request.id, result: hash!.result }]
    })
    expect(await count()).toBe(before + 3)
  })

  test('waits two minutes for a transaction to be mined, then fails and names it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      let asked = 0
      const waiting = sendThrough(async (requests, ask) => {
        const request = requests[0]!
        if (request.method !== 'eth_getTransactionReceipt') return ask(requests)
        vi.setSystemTime(Date.now() + 60_000)
        asked += 1
        return [{ id: request.id, result: null }]
      })
      await expect(waiting).rejects.toThrow(/^The transaction 0x[0-9a-f]{64} is not mined after 120 s\.$/)
      expect(asked).toBe(3)
    } finally {
      vi.useRealTimers()
    }
  })
})
