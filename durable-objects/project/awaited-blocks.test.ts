import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Block } from '../../protocol/committees/index.ts'
import { AwaitedBlocks } from './awaited-blocks.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

const block: Block = { number: 7, hash: '0x07', timestamp: 1_001 }

/** Rounds that are told, and what each look for a block gives. */
function awaited(look: (agreedAt: number) => Promise<Block | null>) {
  const told: string[] = []
  const blocks = new AwaitedBlocks({
    auditBlock: look,
    untilNextBlock: () => 60_000,
    tellBlock: async (roundId) => void told.push(roundId),
  })
  return { blocks, told }
}

test('a round that arrives during a search for others does not wait for the later block that they need', async () => {
  const first = Promise.withResolvers<Block | null>()
  const look = vi.fn(async (agreedAt: number) => (agreedAt < block.timestamp ? block : null))
  look.mockReturnValueOnce(first.promise)
  const { blocks, told } = awaited(look)
  blocks.add('early', 1_002)
  await vi.advanceTimersByTimeAsync(300)
  blocks.add('late', 1_000)
  first.resolve(null)
  await vi.advanceTimersByTimeAsync(300)
  expect(told).toEqual(['late'])
})

test('a search that never ends delays no round that arrives later', async () => {
  const look = vi.fn<() => Promise<Block | null>>(async () => block)
  look.mockReturnValueOnce(new Promise(() => {}))
  const { blocks, told } = awaited(look)
  blocks.add('first', 1_000)
  await vi.advanceTimersByTimeAsync(300)
  expect(told).toEqual([])
  blocks.add('second', 1_000)
  await vi.advanceTimersByTimeAsync(300)
  expect(told).toEqual(['first', 'second'])
})

test('a search that fails is repeated, and a round that is over is told nothing', async () => {
  const look = vi.fn(async () => block)
  look.mockRejectedValueOnce(new Error('the chain does not answer'))
  const { blocks, told } = awaited(look)
  for (const name of ['open', 'over']) blocks.add(name, 1_000)
  await vi.advanceTimersByTimeAsync(300)
  blocks.delete('over')
  await vi.advanceTimersByTimeAsync(60_000)
  expect([told, look.mock.calls.length]).toEqual([['open'], 2])
  await vi.advanceTimersByTimeAsync(600_000)
  expect(look.mock.calls.length).toBe(2)
})
