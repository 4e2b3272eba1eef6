import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { NewestBlocks } from '../../durable-objects/indexer/newest-blocks.ts'
import type { Block } from '../../protocol/committees/index.ts'
import { AuditBlocks } from './audit-blocks.ts'

/** A chain in memory that counts what it is asked. */
class Chain {
  trips = 0
  readonly #blocks: Block[] = []

  constructor(count: number) {
    for (let number = 0; number < count; number += 1) this.add()
  }

  add(branch = 'a'): void {
    const number = this.#blocks.length
    this.#blocks.push({ number, hash: `${branch}${number}`, timestamp: 1_000 + 2 * number })
  }

  drop(count: number): void {
    this.#blocks.splice(-count)
  }

  async latestBlock(): Promise<Block> {
    this.trips += 1
    return this.#blocks.at(-1) as Block
  }

  async blocks(numbers: readonly number[]): Promise<(Block | null)[]> {
    this.trips += 1
    return numbers.map((number) => this.#blocks[number] ?? null)
  }
}

/** Without an index unless it is given: rounds look for themselves. */
const auditBlocks = (chain: Chain, newest: () => Promise<NewestBlocks | null> = async () => null) =>
  new AuditBlocks(chain, newest, 12_000)

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

const later = () => vi.advanceTimersByTime(1_000)

test('the audit block is the first block after the time, at any position', async () => {
  const chain = new Chain(40)
  for (const [agreedAt, number] of [
    [999, 0],
    [1_000, 1],
    [1_001, 1],
    [1_065, 33],
    [1_077, 39],
  ] as const) {
    later()
    expect((await auditBlocks(chain).find(agreedAt))?.hash).toBe(`a${number}`)
  }
  expect(await auditBlocks(chain).find(1_078)).toBeNull()
})

test('two hundred rounds with the same time cost two round trips, also if some of them ask again', async () => {
  const chain = new Chain(40)
  const blocks = auditBlocks(chain)
  const first = await Promise.all(Array.from({ length: 200 }, () => blocks.find(1_070)))
  expect(first.filter((block) => block?.hash === 'a36')).toHaveLength(1)
  const second = await Promise.all(Array.from({ length: 200 }, () => blocks.find(1_070)))
  expect(second.every((block) => block?.hash === 'a36')).toBe(true)
  expect(chain.trips).toBe(2)
})

test('two hundred late rounds cost one search, also if they wait for different blocks', async () => {
  const chain = new Chain(400)
  const blocks = auditBlocks(chain)
  const times = Array.from({ length: 200 }, (_, index) => 1_100 + (index % 60))
  const askAll = () => Promise.all(times.map((time) => blocks.find(time)))
  expect((await askAll()).filter((block) => block !== null)).toHaveLength(1)
  const { trips } = chain
  const found = await askAll()
  expect(found.map((block) => block?.timestamp)).toEqual(times.map((time) => time + 2 - (time % 2)))
  expect(chain.trips).toBe(trips)
})

test('a search that never ends delays other rounds for only a few seconds', async () => {
  const chain = new Chain(400)
  const blocks = auditBlocks(chain)
  await blocks.find(1_796)
  vi.spyOn(chain, 'blocks').mockReturnValueOnce(new Promise(() => {}))
  void blocks.find(1_100)
  expect(await blocks.find(1_100)).toBeNull()
  expect(blocks.untilNextLook()).toBe(300)
  vi.advanceTimersByTime(5_000)
  await blocks.find(1_796)
  expect((await blocks.find(1_100))?.hash).toBe('a51')
})

test('a block that the index still has is searched again without the chain', async () => {
  const chain = new Chain(40)
  const newest = {
    blocks: (await chain.blocks([36, 37, 38, 39])) as Block[],
    nextPollMs: 9_000,
    isFinalizing: true,
  }
  const blocks = auditBlocks(chain, async () => newest)
  chain.trips = 0
  expect((await blocks.findAgain(1_075, newest.blocks[2] as Block))?.hash).toBe('a38')
  expect(chain.trips).toBe(0)
})

test('no block is cached longer because the clock was set back', async () => {
  const chain = new Chain(40)
  vi.setSystemTime(10_000)
  const blocks = auditBlocks(chain)
  expect(await blocks.find(1_078)).toBeNull()
  vi.setSystemTime(0)
  chain.add()
  expect((await blocks.find(1_078))?.hash).toBe('a40')
})

test('a block that a reorganisation removed is no longer returned a moment later', async () => {
  const chain = new Chain(40)
  const blocks = auditBlocks(chain)
  expect((await blocks.find(1_075))?.hash).toBe('a38')
  chain.drop(3)
  later()
  expect(await blocks.find(1_075)).toBeNull()
  for (let count = 0; count < 3; count += 1) chain.add('b')
  later()
  expect((await blocks.find(1_075))?.hash).toBe('b38')
})

test('searching an old block again costs one round trip while the chain has the block', async () => {
  const chain = new Chain(40)
  const blocks = auditBlocks(chain)
  const old = (await chain.blocks([3]))[0] as Block
  chain.trips = 0
  expect((await blocks.findAgain(1_005, old))?.hash).toBe('a3')
  expect(chain.trips).toBe(1)
  const last = (await chain.blocks([39]))[0] as Block
  chain.drop(1)
  chain.add('b')
  expect((await blocks.findAgain(1_077, last))?.hash).toBe('b39')
  chain.drop(1)
  later()
  expect(await blocks.findAgain(1_077, last)).toBeNull()
})

test('a chain that does not answer is queried again a moment later, by the rounds that wait', async () => {
  const chain = new Chain(40)
  const blocks = auditBlocks(chain)
  vi.spyOn(chain, 'latestBlock').mockRejectedValueOnce(new Error('timed out'))
  await expect(blocks.find(1_070)).rejects.toThrow('timed out')
  expect(await blocks.find(1_070)).toBeNull()
  later()
  expect((await blocks.find(1_070))?.hash).toBe('a36')
})

test('a query of the latest block that never ends delays other rounds for only a moment', async () => {
  const chain = new Chain(40)
  const blocks = auditBlocks(chain)
  vi.spyOn(chain, 'latestBlock').mockReturnValueOnce(new Promise(() => {}))
  void blocks.find(1_070)
  expect(await blocks.find(1_070)).toBeNull()
  later()
  expect((await blocks.find(1_070))?.hash).toBe('a36')
})

test('a caller that arrives during another query asks again a moment later, not after the next poll of the index', async () => {
  const chain = new Chain(40)
  const blocks = (await chain.blocks([36, 37, 38, 39])) as Block[]
  const found = auditBlocks(chain, async () => ({ blocks, nextPollMs: 9_000, isFinalizing: true }))
  await found.find(1_078)
  later()
  const first = found.find(1_078)
  expect(await found.find(1_075)).toBeNull()
  expect(found.untilNextLook()).toBe(300)
  expect(await first).toBeNull()
  expect(Date.now() + found.untilNextLook()).toBe(9_300)
  expect((await found.find(1_075))?.hash).toBe('a38')
})

test('while the index follows the chain, rounds do not query the chain, and check again after each poll of the index', async () => {
  const chain = new Chain(40)
  const newest = {
    blocks: (await chain.blocks([36, 37, 38, 39])) as Block[],
    nextPollMs: 9_000,
    isFinalizing: true,
  }
  chain.trips = 0
  const blocks = auditBlocks(chain, async () => newest)
  for (let ask = 0; ask < 5; ask += 1) {
    expect((await blocks.find(1_075))?.hash).toBe('a38')
    expect(await blocks.find(1_078)).toBeNull()
    later()
  }
  expect(Date.now() + blocks.untilNextLook()).toBe(9_300)
  expect(chain.trips).toBe(0)
})

test.each([
  ['is late', async () => ({ blocks: [], nextPollMs: 0, isFinalizing: true })],
  ['does not answer', () => Promise.reject(new Error('no object'))],
])('while the index %s, rounds query the chain themselves', async (_, newest) => {
  const blocks = auditBlocks(new Chain(40), newest)
  expect((await blocks.find(1_075))?.hash).toBe('a38')
  expect(blocks.untilNextLook()).toBe(3_300)
})

test('no block is returned while the chain does not finalise, and the blocks are returned when it does again', async () => {
  const chain = new Chain(40)
  const newest = {
    blocks: (await chain.blocks([36, 37, 38, 39])) as Block[],
    nextPollMs: 0,
    isFinalizing: false,
  }
  const blocks = auditBlocks(chain, async () => newest)
  expect(await blocks.find(1_075)).toBeNull()
  expect(await blocks.findAgain(1_075, newest.blocks[2] as Block)).toBeNull()
  newest.isFinalizing = true
  later()
  expect((await blocks.find(1_075))?.hash).toBe('a38')
  expect((await blocks.findAgain(1_075, newest.blocks[2] as Block))?.hash).toBe('a38')
})
