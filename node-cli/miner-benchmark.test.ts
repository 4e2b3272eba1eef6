import { describe, expect, test } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import { echo } from '../testing/node/artifacts.ts'
import { json, type LinkHub } from '../testing/node/link-hub.ts'
import { createHub, createMiner, publish, untilStatus } from '../testing/node/miner-stage.ts'

describe('the benchmark', () => {
  function answerSuite(hub: LinkHub, receipt_hash: string): void {
    const run = {
      module_address: echo.address,
      function: 'echo',
      input: '{"msg":"hi"}',
      gas_limit: 1_000_000,
    }
    const suite = { suite: 'bench-v1', cases: [{ name: 'echo', ...run, receipt_hash }] }
    hub.answers.set('GET /v1/benchmarks/current', json(suite))
  }
  async function createSuite(receiptHash: string) {
    const hub = await createHub()
    const miner = createMiner(hub)
    publish(hub, miner)
    answerSuite(hub, receiptHash)
    return { hub, miner }
  }
  /** The receipt hash of the echo module on this input. */
  const pinned = '0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6'
  const asked = (hub: LinkHub) => hub.requests.filter((one) => one === 'GET /v1/benchmarks/current').length

  test('runs once for each engine and version, before any work, and is sent with the profile', async () => {
    const { hub, miner } = await createSuite(pinned)
    const node = await miner.start()
    await (await hub.connection()).next('ready')
    const benchmark = {
      suite: 'bench-v1',
      ran_at: expect.any(Number),
      engine: 'native',
      cases: [{ name: 'echo', receipt_hash: pinned, gas_used: 581, elapsed_us: expect.any(Number) }],
      mgas_per_s: [expect.any(Number)],
      score: expect.any(Number),
    }
    await untilStatus(node, { benchmark: { ...benchmark, differing: [] } })
    await node.stop()
    const again = await miner.start()
    await (await hub.connection()).next('ready')
    await expect.poll(() => hub.profiles.at(-1)?.benchmark).toEqual(benchmark)
    expect(asked(hub)).toBe(1)
    await again.stop()
    await miner.start([], { env: { NODE_ENGINE: 'pulley' } })
    await (await hub.connection()).next('ready')
    expect(asked(hub)).toBe(2)
  })

  test('with other receipts than expected is reported, also as an error', async () => {
    const { miner } = await createSuite(hashText('other'))
    const node = await miner.start()
    await untilStatus(node, {
      benchmark: { differing: ['echo'] },
      last_errors: [{ message: expect.stringContaining('the benchmark gives other receipts') }],
    })
  })

  test('that differed runs once after each start, so that a mended device is not faulty for ever', async () => {
    const { hub, miner } = await createSuite(hashText('other'))
    const node = await miner.start()
    const first = await hub.connection()
    await first.next('ready')
    first.close(1001)
    await (await hub.connection()).next('ready')
    expect(asked(hub)).toBe(1)
    await node.stop()
    answerSuite(hub, pinned)
    const again = await miner.start()
    await untilStatus(again, { benchmark: { differing: [] } })
    expect(asked(hub)).toBe(2)
    await expect
      .poll(() => hub.profiles.at(-1)?.benchmark)
      .toMatchObject({ cases: [{ receipt_hash: pinned }] })
  })
})
