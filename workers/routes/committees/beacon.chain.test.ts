import { beforeEach, describe, expect, test } from 'vitest'
import { type Block, beaconTargetTime } from '../../../protocol/committees/index.ts'
import { hashText } from '../../../protocol/encoding/index.ts'
import { defaultNetworkParams } from '../../../protocol/identity/index.ts'
import known from '../../../protocol/vectors/beacon.json'
import { bodyOf, client, expectRefusal, freshAddress } from '../../test/client.ts'
import { knownAnswers } from '../../test/known-answers.ts'
import { ScriptedBlocks } from '../../test/scripted-blocks.ts'
import { emptyTables, rowsOf } from '../../test/tables.ts'

const epoch = 498_000
const target = beaconTargetTime(epoch, 3_600, defaultNetworkParams)
const path = `/v1/beacons/3600/${epoch}`

const chain = new ScriptedBlocks()
beforeEach(async () => {
  await emptyTables('beacons', 'chain_cursor')
  chain.install()
  chain.down = false
})

/** Blocks of these seconds before or after the target, from number 0 on. */
const blocksAt = (...seconds: number[]): Block[] =>
  seconds.map((offset, number) => ({
    number,
    hash: hashText(`block ${number}`),
    timestamp: target + offset,
  }))

describe('GET /v1/beacons/{epoch_secs}/{epoch}', () => {
  const withBlocks = knownAnswers(known).filter(({ input }) => input.blocks !== undefined)
  test.each(withBlocks)('vector: $name', async ({ input, output }) => {
    // The vectors name a target of their own; here the blocks are moved to the target of an epoch.
    const moved: Block[] = input.blocks
      .map((block: Block) => ({ ...block, timestamp: block.timestamp + target - input.target_time }))
      .sort((one: Block, other: Block) => one.number - other.number)
    const first = moved[0]?.number ?? 0
    const before = Array.from({ length: first }, (_, number) => ({
      number,
      hash: hashText(`before ${number}`),
      timestamp: output.block === null ? target : target - 100_000,
    }))
    const after = { number: first + moved.length, hash: hashText('after'), timestamp: target + 100_000 }
    await chain.setBlocks([...before, ...moved, after])
    const response = await client().get(path)
    if (output.block === null) return expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      epoch_secs: 3_600,
      epoch,
      target_time: target,
      block_number: output.block.number,
      block_hash: output.block.hash,
      value: output.value,
    })
  })

  test('returns a beacon that it has found, also while the chain is down', async () => {
    await chain.setBlocks(blocksAt(-20, -1, 0, 12))
    const first = await bodyOf(client().get(path))
    expect(first).toMatchObject({ block_number: 1 })
    chain.down = true
    expect(await bodyOf(client().get(path))).toEqual(first)
  })

  test('finds the block even if a rate limit refuses some calls', async () => {
    await chain.setBlocks(blocksAt(-20, -1, 0, 12))
    chain.limited = 2
    expect(await bodyOf(client().get(path))).toMatchObject({ block_number: 1 })
  })

  test('concurrent requests get the same answer, and one row is stored', async () => {
    await chain.setBlocks(blocksAt(-20, -1, 0, 12))
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => (await client().get(path)).text()),
    )
    expect(new Set(answers).size).toBe(1)
    expect(await rowsOf('SELECT block_number FROM beacons')).toEqual([{ block_number: 1 }])
  })

  test('404 not_found: the block after it is not final yet', async () => {
    const blocks = blocksAt(-20, -1, 0)
    await chain.setBlocks(blocks, blocks[1])
    await expectRefusal(client().get(path), '404 not_found')
    await chain.setBlocks(blocks)
    expect((await client().get(path)).status).toBe(200)
  })

  test('404 not_found: no block is old enough', async () => {
    await chain.setBlocks(blocksAt(0, 12))
    await expectRefusal(client().get(path), '404 not_found')
  })

  test('404 not_found: a future epoch, without a call to the chain', async () => {
    await chain.setBlocks(blocksAt(-20, 0))
    const calls = chain.calls
    const future = Math.floor(Date.now() / 1000 / 3_600) + 2
    await expectRefusal(client().get(`/v1/beacons/3600/${future}`), '404 not_found')
    expect(chain.calls).toBe(calls)
  })

  test.each(['3601', '0', '60', '172800', 'hour', '-3600', '3600.0'])(
    '404 not_found: the epoch length %s',
    async (length) => {
      await expectRefusal(client().get(`/v1/beacons/${length}/${epoch}`), '404 not_found')
    },
  )

  test('503 unavailable: the chain does not answer, has another final block, or was not read yet', async () => {
    const blocks = blocksAt(-20, -1, 0, 12)
    await chain.setBlocks(blocks)
    chain.down = true
    await expectRefusal(client().get(path), '503 unavailable')
    chain.down = false
    await chain.setBlocks(blocks, { ...(blocks[3] as Block), hash: hashText('another') })
    await expectRefusal(client().get(path), '503 unavailable')
    await emptyTables('chain_cursor')
    await expectRefusal(client().get(path), '503 unavailable')
  })

  test('429 rate_limited: more than 60 new beacons a minute from one address', async () => {
    await chain.setBlocks(blocksAt(-20, -1, 0, 12))
    const caller = client({ address: freshAddress() })
    for (let back = 1; back <= 60; back++) await caller.get(`/v1/beacons/3600/${epoch - back}`)
    await expectRefusal(caller.get(`/v1/beacons/3600/${epoch - 61}`), '429 rate_limited')
  })
})
