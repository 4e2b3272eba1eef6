import { beforeEach, describe, expect, test, vi } from 'vitest'
import { JsonRpc, type RpcCall, RpcUnreachable } from './json-rpc.ts'

interface Call {
  id: number
  params: string[]
}

/** Requests that a node has and has not answered. Each call is answered with its text, the last of a batch first. */
let asked: { calls: Call[]; answer: () => void; signal: AbortSignal }[]

beforeEach(() => {
  asked = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (_, init) =>
      new Promise((resolve, reject) => {
        const signal = init?.signal as AbortSignal
        signal.addEventListener('abort', () => reject(signal.reason))
        const body = JSON.parse(String(init?.body)) as Call | Call[]
        const reply = ({ id, params: [text = ''] }: Call) =>
          text.startsWith('refuse ')
            ? { id, error: { code: 3, message: text } }
            : text === 'forget'
              ? null
              : { id, result: text }
        const replies = () => (Array.isArray(body) ? body.map(reply).filter(Boolean).reverse() : reply(body))
        const answer = () => resolve(Response.json(replies()))
        asked.push({ calls: [body].flat(), answer, signal })
      }),
  )
})

const echo = (...texts: string[]) => texts.map((text): RpcCall => ['echo', text])
const turn = () => new Promise((resolve) => setTimeout(resolve))

/** Uses up all requests that may be on the way at once. */
async function crowd(rpc: JsonRpc): Promise<{ leave: () => Promise<unknown> }> {
  const calls = Array.from({ length: 16 }, () => rpc.call('echo', 'ahead'))
  await vi.waitFor(() => expect(asked).toHaveLength(16))
  return {
    leave: () => {
      for (const { answer } of asked.slice(0, 16)) answer()
      return Promise.all(calls)
    },
  }
}

describe('JsonRpc', () => {
  test('while all connections are in use, puts waiting calls into one batch, in the order in which they came', async () => {
    const rpc = new JsonRpc('http://chain.test', 60_000)
    const ahead = await crowd(rpc)
    const texts = Array.from({ length: 60 }, (_, index) => `call ${index}`)
    const calls = texts.map((text) => rpc.call('echo', text))
    await turn()
    expect(asked).toHaveLength(16)

    await ahead.leave()
    await vi.waitFor(() => expect(asked).toHaveLength(18))
    expect(asked.slice(16).map((request) => request.calls.map(({ params }) => params[0]))).toEqual([
      texts.slice(0, 50),
      texts.slice(50),
    ])
    for (const { answer } of asked.slice(16)) answer()
    expect(await Promise.all(calls)).toEqual(texts)
  })

  test('each caller gets its own answers, whatever happens to the other calls in the same batch', async () => {
    const rpc = new JsonRpc('http://chain.test', 60_000)
    const ahead = await crowd(rpc)
    const outcomes = Promise.allSettled([
      rpc.call('echo', 'one'),
      rpc.call('echo', 'refuse two'),
      rpc.batch(echo('three', 'refuse four')),
      rpc.batch(echo('five', 'forget')),
      rpc.call('echo', 'six'),
    ])
    await ahead.leave()
    await vi.waitFor(() => expect(asked).toHaveLength(17))
    asked[16]?.answer()
    expect(await outcomes).toMatchObject([
      { value: 'one' },
      { reason: { name: 'RpcError', message: 'refuse two' } },
      {
        value: [
          { ok: true, result: 'three' },
          { ok: false, error: { message: 'refuse four' } },
        ],
      },
      { reason: { name: 'RpcUnreachable' } },
      { value: 'six' },
    ])
  })

  test('sends a batch separately if it does not fit into one request with the calls before it', async () => {
    const rpc = new JsonRpc('http://chain.test', 60_000)
    const ahead = await crowd(rpc)
    const single = rpc.call('echo', 'one')
    const batch = rpc.batch(echo(...Array.from({ length: 50 }, (_, index) => `${index}`)))
    await ahead.leave()
    await vi.waitFor(() => expect(asked).toHaveLength(18))
    expect(asked.slice(16).map(({ calls }) => calls.length)).toEqual([1, 50])
    for (const { answer } of asked.slice(16)) answer()
    expect(await single).toBe('one')
    expect(await batch).toHaveLength(50)
  })

  test('while a node is silent, waiting calls fail without asking it, and later calls ask it again', async () => {
    const rpc = new JsonRpc('http://chain.test', 50)
    const calls = Array.from({ length: 40 }, () => rpc.call('echo', 'text'))
    const outcomes = await Promise.allSettled(calls)
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(RpcUnreachable) })
    expect(asked).toHaveLength(16)
    const later = rpc.call('echo', 'text')
    await turn()
    asked.at(-1)?.answer()
    expect(await later).toBe('text')
  })
})
