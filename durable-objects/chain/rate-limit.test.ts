import { beforeEach, expect, test, vi } from 'vitest'
import { JsonRpc, RpcError, RpcUnreachable } from './json-rpc.ts'

interface Call {
  id: number
  params: string[]
}

/** What the node answers to each request in turn, and `null` where it answers as it should. */
let refusals: (((calls: Call[]) => Response) | null)[]
let requests: number[]

beforeEach(() => {
  refusals = []
  requests = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const body = JSON.parse(String(init?.body)) as Call | Call[]
    const calls = [body].flat()
    requests.push(calls.length)
    const refuse = refusals.shift()
    if (refuse) return refuse(calls)
    const replies = calls.map(({ id, params: [text] }) => ({ id, result: text }))
    return Response.json(Array.isArray(body) ? replies : replies[0])
  })
})

const limited = () => new Response('slow down', { status: 429, headers: { 'Retry-After': '0' } })
const node = (isPatient: boolean) => new JsonRpc('http://chain.test', 1_000, undefined, isPatient)

test('a request that is refused with 429 is sent again for a patient caller', async () => {
  refusals = [limited, limited, null]
  expect(await node(true).call('echo', 'a')).toBe('a')
  expect(requests).toEqual([1, 1, 1])
})

test('of a batch, only the calls that the rate limit refused are asked again', async () => {
  const oneRefused = (calls: Call[]) =>
    Response.json(
      calls.map(({ id, params: [text] }) =>
        id === 1 ? { id, error: { code: 429, message: 'too many requests' } } : { id, result: text },
      ),
    )
  refusals = [oneRefused, null]
  expect(
    await node(true).all([
      ['echo', 'a'],
      ['echo', 'b'],
      ['echo', 'c'],
    ]),
  ).toEqual(['a', 'b', 'c'])
  expect(requests).toEqual([3, 1])
})

test('a node that goes on refusing counts as one that does not answer', async () => {
  refusals = Array(10).fill(limited)
  await expect(node(true).call('echo', 'a')).rejects.toThrow(RpcUnreachable)
  expect(requests).toHaveLength(6)
})

test('nobody waits who is not patient', async () => {
  refusals = [limited]
  await expect(node(false).call('echo', 'a')).rejects.toThrow(RpcUnreachable)
  expect(requests).toEqual([1])
})

test('too many logs are not taken for too many requests', async () => {
  refusals = [
    () =>
      Response.json({ id: 0, error: { code: -32_005, message: 'query returned more than 10000 results' } }),
  ]
  await expect(node(true).call('echo', 'a')).rejects.toThrow(RpcError)
  expect(requests).toEqual([1])
})
