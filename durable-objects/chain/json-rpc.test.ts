import { beforeEach, describe, expect, test, vi } from 'vitest'
import { JsonRpc, RpcUnreachable } from './json-rpc.ts'

/** Requests that a node has and has not answered. */
let asked: { answer: () => void; signal: AbortSignal }[]

beforeEach(() => {
  asked = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (_, init) =>
      new Promise((resolve, reject) => {
        const signal = init?.signal as AbortSignal
        signal.addEventListener('abort', () => reject(signal.reason))
        asked.push({ answer: () => resolve(Response.json({ id: 0, result: asked.length })), signal })
      }),
  )
})

const turn = () => new Promise((resolve) => setTimeout(resolve))

describe('JsonRpc', () => {
  test('lets a crowd through a few at a time, all of it and in order', async () => {
    const rpc = new JsonRpc('http://chain.test', 60_000)
    const order: number[] = []
    const calls = Array.from({ length: 40 }, async (_, index) => {
      await rpc.call('eth_chainId')
      order.push(index)
    })
    for (let answered = 0; answered < 40; answered++) {
      await vi.waitFor(() => expect(asked.length).toBeGreaterThan(answered))
      expect(asked.length - answered).toBeLessThanOrEqual(16)
      asked[answered]?.answer()
      await vi.waitFor(() => expect(order).toHaveLength(answered + 1))
    }
    await Promise.all(calls)
    expect(order).toEqual(Array.from({ length: 40 }, (_, index) => index))
  })

  test('does not keep those waiting who would ask a node that is silent, and asks it again later', async () => {
    const rpc = new JsonRpc('http://chain.test', 50)
    const calls = Array.from({ length: 40 }, () => rpc.call('eth_chainId'))
    const outcomes = await Promise.allSettled(calls)
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(RpcUnreachable) })
    expect(asked).toHaveLength(16)
    const later = rpc.call('eth_chainId')
    await turn()
    asked.at(-1)?.answer()
    expect(await later).toBe(17)
  })
})
