import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RpcUnreachable } from '../../durable-objects/chain/json-rpc.ts'
import { type Block, selectBeaconBlock } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { type BlockReader, findBeaconBlock } from './beacon-block.ts'

/** Blocks from number 0 on; several may share a timestamp. */
const chains = fc.array(fc.nat(3), { minLength: 1, maxLength: 400 }).map((gaps) => {
  let timestamp = 1_000
  return gaps.map((gap, number): Block => {
    timestamp += gap
    return { number, hash: hashText(String(number)), timestamp }
  })
})

const readerOf = (blocks: readonly Block[]): BlockReader => ({
  blocks: async (numbers) => numbers.map((number) => blocks[number] ?? null),
})

describe('the block of a beacon', () => {
  test('property: equals the block that a linear search finds, once the block after it is final', async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.nat(1_300), fc.nat(399), async (blocks, offset, at) => {
        const final = blocks[Math.min(at, blocks.length - 1)] as Block
        const target = 900 + offset
        const settled = blocks.slice(0, final.number + 1)
        const expected = final.timestamp < target ? null : selectBeaconBlock(settled, target)
        expect(await findBeaconBlock(readerOf(blocks), final, target)).toEqual(expected)
      }),
    )
  })

  test('is found with at most nine calls on a chain of a billion blocks', async () => {
    let trips = 0
    const chain: BlockReader = {
      blocks: async (numbers) => {
        trips += 1
        return numbers.map((number) => ({ number, hash: `0x${number}`, timestamp: 12 * number }))
      },
    }
    const final = { number: 1_000_000_000, hash: '0x1000000000' }
    expect(await findBeaconBlock(chain, final, 12 * 123_456_789)).toMatchObject({ number: 123_456_788 })
    expect(trips).toBeLessThanOrEqual(9)
  })

  test('is not accepted from a node that has another final block or lacks blocks', async () => {
    const blocks = [0, 1, 2, 3].map((number) => ({
      number,
      hash: hashText(String(number)),
      timestamp: number,
    }))
    const other = { number: 3, hash: hashText('another') }
    await expect(findBeaconBlock(readerOf(blocks), other, 2)).rejects.toThrow(RpcUnreachable)
    const pruned: BlockReader = {
      blocks: async (numbers) => numbers.map((number) => (number < 2 ? null : (blocks[number] ?? null))),
    }
    await expect(findBeaconBlock(pruned, blocks[3] as Block, 2)).rejects.toThrow(RpcUnreachable)
  })
})
