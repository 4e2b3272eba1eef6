import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { JsonRpc, quantity, RpcAnswerTooLarge, RpcError, RpcUnreachable } from './json-rpc.ts'

interface Node {
  chainId: number
  head: number
  final: number
  /** From this block on its history is another one. */
  forkedAt: number
  down: boolean
  /** Answers nothing before this. */
  held: Promise<void> | null
}

const urls = ['http://one.test/', 'http://two.test/', 'http://three.test/']
let nodes: Map<string, Node>
/** Calls by the node that had to answer them, without those of surveys. */
let asked: [url: string, method: string][]

const answer = (node: Node, method: string, [param]: string[]): unknown => {
  switch (method) {
    case 'eth_chainId':
      return quantity(node.chainId)
    case 'eth_getBlockByNumber': {
      const number = param === 'latest' ? node.head : param === 'finalized' ? node.final : Number(param)
      return number > node.head
        ? null
        : { number: quantity(number), hash: number < node.forkedAt ? `0x${number}` : `0xf0${number}` }
    }
    default:
      return `${method} at ${node.head}`
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  nodes = new Map(
    urls.map((url) => [
      url,
      { chainId: 7, head: 100, final: 80, forkedAt: Number.POSITIVE_INFINITY, down: false, held: null },
    ]),
  )
  asked = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const node = nodes.get(new URL(String(input)).href) as Node
    if (node.down) throw new Error('connection refused')
    await node.held
    const body = JSON.parse(String(init?.body))
    const calls = [body].flat() as { id: number; method: string; params: string[] }[]
    const replies = calls.map(({ id, method, params }) => {
      if (method.startsWith('hub_'))
        asked.push([new URL(String(input)).hostname.replace('.test', ''), method])
      return method === 'hub_refused'
        ? { id, error: { code: -32_000, message: 'refused' } }
        : { id, result: answer(node, method, params) }
    })
    return Response.json(Array.isArray(body) ? replies : replies[0])
  })
})
afterEach(() => vi.useRealTimers())

const nodeAt = (index: number) => nodes.get(urls[index] as string) as Node
const hosts = () => asked.map(([host]) => host)
const laterOn = () => vi.setSystemTime(Date.now() + 61_000)
/** Asks later on, until the survey that the first question began is over: it keeps nobody waiting. */
const surveyed = async (rpc: JsonRpc, until: () => boolean) => {
  laterOn()
  await vi.waitFor(async () => {
    await rpc.call('hub_anything')
    expect(until()).toBe(true)
  })
}

describe('JsonRpc with several nodes', () => {
  let rpc: JsonRpc
  beforeEach(() => {
    rpc = new JsonRpc(urls.join(', '), 1_000, 7)
  })

  test('asks the first node that follows the chain, and skips one that fails, with whole batches', async () => {
    await rpc.batch([['hub_a'], ['hub_b']])
    expect(hosts()).toEqual(['one', 'one'])
    nodeAt(0).down = true
    expect(await rpc.batch([['hub_c'], ['hub_d']])).toEqual([
      { ok: true, result: 'hub_c at 100' },
      { ok: true, result: 'hub_d at 100' },
    ])
    expect(hosts()).toEqual(['one', 'one', 'two', 'two'])
    // It stays with the node in use, although the first is back.
    nodeAt(0).down = false
    laterOn()
    await rpc.call('hub_e')
    expect(hosts().at(-1)).toBe('two')
  })

  test('fails only when every node fails, and goes on as soon as one answers', async () => {
    for (const index of [0, 1, 2]) nodeAt(index).down = true
    await expect(rpc.call('hub_a')).rejects.toBeInstanceOf(RpcUnreachable)
    nodeAt(2).down = false
    expect(await rpc.call('hub_b')).toBe('hub_b at 100')
    expect(hosts()).toEqual(['three'])
  })

  test('if a node refuses a call, that refusal is the answer, and no other node is asked', async () => {
    await expect(rpc.call('hub_refused')).rejects.toBeInstanceOf(RpcError)
    expect(hosts()).toEqual(['one'])
  })

  test('passes over a node that lags, also once it is in use', async () => {
    nodeAt(0).head = 90
    await rpc.call('hub_a')
    expect(hosts()).toEqual(['two'])
    nodeAt(0).head = 200
    nodeAt(2).head = 198
    await surveyed(rpc, () => hosts().at(-1) === 'one')
    expect(rpc.conflict).toBeNull()
  })

  test('does not wait for a silent node while another one answers', async () => {
    const rpc = new JsonRpc(urls.join(','), 3_600_000, 7)
    await rpc.call('hub_a')
    const { promise, resolve } = Promise.withResolvers<void>()
    nodeAt(2).held = promise
    laterOn()
    expect(await rpc.call('hub_b')).toBe('hub_b at 100')
    resolve()
  })

  test('passes over a node of another chain', async () => {
    nodeAt(0).chainId = 1
    await rpc.call('hub_a')
    expect(hosts()).toEqual(['two'])
    expect(rpc.conflict).toBeNull()
  })

  test('reports two nodes that differ in a final block, and uses those with the history known before', async () => {
    await rpc.call('hub_a')
    expect(rpc.conflict).toBeNull()
    nodeAt(0).forkedAt = 70
    await surveyed(rpc, () => hosts().at(-1) === 'two')
    expect(rpc.conflict).toMatch(/CHAIN_RPC_URL, address 1 has another block 80 than address 2/)
    // If two nodes differ only in blocks that are not final, a survey reports no conflict.
    nodeAt(0).forkedAt = 81
    await surveyed(rpc, () => rpc.conflict === null)
  })

  test('detects a different history in a node that reports no final block, or a final block that it does not have', async () => {
    Object.assign(nodeAt(1), { final: 0, forkedAt: 70 })
    Object.assign(nodeAt(2), { final: 1_000_000 })
    await rpc.call('hub_a')
    expect(rpc.conflict).toMatch(/address 2 has another block 80 than address 1/)
    nodeAt(0).down = true
    await rpc.call('hub_b')
    expect(hosts()).toEqual(['one', 'three'])
  })

  test('a node with a different history is reported, and not used even if it is ahead', async () => {
    await rpc.call('hub_a')
    for (const index of [1, 2])
      Object.assign(nodeAt(index), { forkedAt: 70, head: 200, final: index === 1 ? 0 : 180 })
    await surveyed(rpc, () => rpc.conflict !== null)
    expect(rpc.conflict).toMatch(/address 2 has another block 80 than address 1/)
    expect(new Set(hosts())).toEqual(new Set(['one']))
  })

  test('a node with a different history is not used even if it is the only one that answers', async () => {
    await rpc.call('hub_a')
    for (const index of [1, 2]) nodeAt(index).forkedAt = 70
    nodeAt(0).down = true
    laterOn()
    await vi.waitFor(() => expect(rpc.call('hub_b')).rejects.toThrow('no node follows the chain'))
    nodeAt(0).down = false
    asked = []
    expect(await rpc.call('hub_c')).toBe('hub_c at 100')
    expect(hosts()).toEqual(['one'])
  })

  test('detects a different history in a node that lags, even if no history is known from before', async () => {
    Object.assign(nodeAt(0), { forkedAt: 70, head: 90, final: 75 })
    await rpc.call('hub_a')
    expect(rpc.conflict).toMatch(/address 1 has another block 75 than address 2/)
  })

  test('without a chain to follow, nodes are asked in order until one answers', async () => {
    nodeAt(0).down = true
    const rpc = new JsonRpc(urls.join(), 1_000)
    expect(await rpc.call('hub_a')).toBe('hub_a at 100')
    expect(hosts()).toEqual(['two'])
    expect(vi.mocked(fetch)).toHaveBeenCalledTimes(2)
  })

  test('reads no more of an answer than fits into the memory of an isolate', async () => {
    const sent = vi.fn()
    vi.mocked(fetch).mockImplementation(async () => {
      const body = new ReadableStream({
        pull(controller) {
          sent()
          controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20))
        },
      })
      return new Response(body)
    })
    await expect(new JsonRpc(urls.join(), 1_000).call('hub_a')).rejects.toBeInstanceOf(RpcAnswerTooLarge)
    expect(sent.mock.calls.length).toBeLessThan(25)
    expect(vi.mocked(fetch)).toHaveBeenCalledTimes(1)
  })
})
