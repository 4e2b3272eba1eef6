import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { JsonRpc, type RpcCall, RpcUnreachable } from './json-rpc.ts'

interface Call {
  id: number
  params: string[]
}

/** Sizes of the requests that came. */
let sizes: number[]
/** The most calls that the node takes at once. */
let limit: number
/** What it answers to more. */
let refuse: (calls: Call[]) => Response

const tooMany = { code: -32_600, message: 'Batch of more than 10 requests are not allowed' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  sizes = []
  limit = 10
  refuse = () => Response.json({ jsonrpc: '2.0', id: null, error: tooMany })
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const body = JSON.parse(String(init?.body)) as Call | Call[]
    const calls = [body].flat()
    sizes.push(calls.length)
    if (calls.length > limit) return refuse(calls)
    const replies = calls.map(({ id, params: [text] }) => ({ id, result: text }))
    return Response.json(Array.isArray(body) ? replies : replies[0])
  })
})
afterEach(() => vi.useRealTimers())

const callsOf = (count: number): RpcCall[] =>
  Array.from({ length: count }, (_, index) => ['echo', `${index}`])
const resultsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ok: true, result: `${index}` }))

test.each<[string, (calls: Call[]) => Response]>([
  ['one error in place of the list', () => Response.json({ jsonrpc: '2.0', id: null, error: tooMany })],
  [
    'one error in the list',
    ([first]) => Response.json([{ id: first?.id, error: { code: -32_600, message: 'batch too large' } }]),
  ],
  [
    'the same error for each call',
    (calls) =>
      Response.json(calls.map(({ id }) => ({ id, error: { code: -32_000, message: 'batch limit' } }))),
  ],
  ['HTTP 400', () => new Response('batch size limit exceeded', { status: 400 })],
  ['HTTP 413', () => new Response(null, { status: 413 })],
])(
  'a batch that is refused with %s is asked in parts, and the next ones are as large as the node takes',
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

test('a node without batches is asked one thing at a time', async () => {
  limit = 1
  refuse = () => Response.json({ error: { code: -32_600, message: 'batches are not supported' } })
  expect(await new JsonRpc('http://chain.test', 1_000).batch(callsOf(5))).toEqual(resultsOf(5))
})

test('a limit that is lifted is noticed', async () => {
  const rpc = new JsonRpc('http://chain.test', 1_000)
  await rpc.batch(callsOf(50))
  limit = 50
  vi.setSystemTime(Date.now() + 11 * 60_000)
  for (let batch = 0; batch < 40; batch++) await rpc.batch(callsOf(50))
  sizes = []
  await rpc.batch(callsOf(50))
  expect(sizes).toEqual([50])
})

test('a node that is asked too often is not asked more often for that', async () => {
  limit = 1
  refuse = () => Response.json({ error: { code: 429, message: 'rate limit exceeded' } })
  const rpc = new JsonRpc('http://chain.test', 1_000)
  await expect(rpc.batch(callsOf(20))).rejects.toThrow(RpcUnreachable)
  expect(sizes).toEqual([20])
})
