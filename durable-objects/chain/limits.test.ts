import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { JsonRpc, type RpcCall, RpcError, RpcUnreachable } from './json-rpc.ts'
import type { RpcMemory } from './request-size.ts'

interface Call {
  id: number
  params: string[]
}

type Answer = (calls: Call[]) => Response

let sizes: number[]
/** The node's answer to a request that it refuses; null if it answers as it should. */
let refusal: (calls: Call[]) => Response | null

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  sizes = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const body = JSON.parse(String(init?.body)) as Call | Call[]
    const calls = [body].flat()
    sizes.push(calls.length)
    const refused = refusal(calls)
    if (refused) return refused
    const replies = calls.map(({ id, params: [text] }) => ({ id, result: text }))
    return Response.json(Array.isArray(body) ? replies : replies[0])
  })
})
afterEach(() => vi.useRealTimers())

const callsOf = (count: number): RpcCall[] =>
  Array.from({ length: count }, (_, index) => ['echo', `${index}`])
const resultsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ok: true, result: `${index}` }))

describe('a node that accepts a limited number of calls at once', () => {
  /** The most calls that it takes at once, and its answer to a larger batch. */
  let limit: number
  let refuse: Answer
  const tooLarge = { code: -32_000, message: 'batch too large' }
  const tooMany = { code: -32_600, message: 'Batch of more than 10 requests are not allowed' }
  beforeEach(() => {
    limit = 10
    refuse = () => Response.json({ jsonrpc: '2.0', id: null, error: tooMany })
    refusal = (calls) => (calls.length > limit ? refuse(calls) : null)
  })

  test.each<[string, Answer]>([
    ['one error in place of the list', () => Response.json({ jsonrpc: '2.0', id: null, error: tooMany })],
    ['one error in the list', ([first]) => Response.json([{ id: first?.id, error: tooLarge }])],
    [
      'the same error for each call',
      (calls) => Response.json(calls.map(({ id }) => ({ id, error: tooLarge }))),
    ],
    ['HTTP 400', () => new Response('batch size limit exceeded', { status: 400 })],
    ['HTTP 413', () => new Response(null, { status: 413 })],
  ])(
    'a batch that is refused with %s is split, and the next batches are as large as the node accepts',
    async (_, answer) => {
      refuse = answer
      const rpc = new JsonRpc('http://chain.test', 1_000)
      expect(await rpc.batch(callsOf(25))).toEqual(resultsOf(25))
      // Each refusal halves it.
      expect(sizes.filter((size) => size > limit)).toEqual([25, 12])
      expect(Math.max(...sizes.slice(-3))).toBeLessThanOrEqual(limit)
      for (let batch = 0; batch < 10; batch++) await rpc.batch(callsOf(25))
      sizes = []
      expect(await rpc.batch(callsOf(25))).toEqual(resultsOf(25))
      expect(sizes).toEqual([10, 10, 5])
    },
  )

  test('a node that does not support batches is asked one call at a time', async () => {
    limit = 1
    refuse = () => Response.json({ error: { code: -32_600, message: 'batches are not supported' } })
    expect(await new JsonRpc('http://chain.test', 1_000).batch(callsOf(5))).toEqual(resultsOf(5))
  })

  test('another client with the same memory asks for no more than the limit that was found', async () => {
    const stored = new Map<string, unknown>()
    const memory: RpcMemory = {
      get: <T>(key: string) => structuredClone(stored.get(key)) as T | undefined,
      put: (key, value) => void stored.set(key, structuredClone(value)),
    }
    const node = () => new JsonRpc('http://chain.test/a-key', 1_000, undefined, { memory })
    await node().batch(callsOf(25))
    sizes = []
    expect(await node().batch(callsOf(25))).toEqual(resultsOf(25))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(limit)
    expect(JSON.stringify([...stored])).not.toContain('a-key')
  })

  test('a limit that the node lifts is noticed', async () => {
    const rpc = new JsonRpc('http://chain.test', 1_000)
    await rpc.batch(callsOf(50))
    limit = 50
    vi.setSystemTime(Date.now() + 11 * 60_000)
    for (let batch = 0; batch < 40; batch++) await rpc.batch(callsOf(50))
    sizes = []
    await rpc.batch(callsOf(50))
    expect(sizes).toEqual([50])
  })

  test('if a node refuses a batch because of its rate limit, the batch is not split into more requests', async () => {
    limit = 1
    refuse = () => Response.json({ error: { code: 429, message: 'rate limit exceeded' } })
    const rpc = new JsonRpc('http://chain.test', 1_000)
    await expect(rpc.batch(callsOf(20))).rejects.toThrow(RpcUnreachable)
    expect(sizes).toEqual([20])
  })
})

describe('a node that limits how often it is asked', () => {
  let refusals: (Answer | null)[]
  beforeEach(() => {
    refusal = (calls) => refusals.shift()?.(calls) ?? null
  })
  const limited = () => new Response('slow down', { status: 429, headers: { 'Retry-After': '0' } })
  const node = (isPatient: boolean) => new JsonRpc('http://chain.test', 1_000, undefined, { isPatient })

  test('if a patient caller is refused with 429, its request is sent again', async () => {
    refusals = [limited, limited, null]
    expect(await node(true).call('echo', 'a')).toBe('a')
    expect(sizes).toEqual([1, 1, 1])
  })

  test('of a batch, only the calls that the rate limit refused are asked again', async () => {
    const error = { code: 429, message: 'too many requests' }
    const replyTo = ({ id, params: [result] }: Call) => (id === 1 ? { id, error } : { id, result })
    refusals = [(calls) => Response.json(calls.map(replyTo)), null]
    const texts = ['a', 'b', 'c']
    expect(await node(true).all(texts.map((text): RpcCall => ['echo', text]))).toEqual(texts)
    expect(sizes).toEqual([3, 1])
  })

  test('a node that keeps refusing counts as one that does not answer', async () => {
    refusals = Array(10).fill(limited)
    await expect(node(true).call('echo', 'a')).rejects.toThrow(RpcUnreachable)
    expect(sizes).toHaveLength(6)
  })

  test('a caller that is not patient does not wait', async () => {
    refusals = [limited]
    await expect(node(false).call('echo', 'a')).rejects.toThrow(RpcUnreachable)
    expect(sizes).toEqual([1])
  })

  test('an error about too many logs does not count as a rate limit', async () => {
    const error = { code: -32_005, message: 'query returned more than 10000 results' }
    refusals = [() => Response.json({ id: 0, error })]
    await expect(node(true).call('echo', 'a')).rejects.toThrow(RpcError)
    expect(sizes).toEqual([1])
  })
})
