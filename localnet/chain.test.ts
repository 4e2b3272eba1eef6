import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { callBatch } from '../contracts/json-rpc.ts'
import { defaultNetworkParams } from '../protocol/identity/index.ts'
import { hasAnvil } from '../testing/anvil.ts'
import { type Chain, type ChainOptions, catchUp, startChain, statesOf } from './chain.ts'
import { historyBlocksOf } from './chain-history.ts'
import { pickPort } from './port.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'localnet-chain-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the kept states cover the beacon of an epoch until it ends, and at least a thousand blocks', () => {
  expect(historyBlocksOf(defaultNetworkParams, 4)).toBe((960 + 3_600) / 4)
  expect(historyBlocksOf({ beacon_offset_secs: 5_000 }, 2)).toBe(4_300)
  expect(historyBlocksOf(defaultNetworkParams, 60)).toBe(1_000)
})

describe.skipIf(!hasAnvil)('a chain', () => {
  const begin = async (file: string, options: ChainOptions = {}) => {
    const chain = await startChain(file, await pickPort(), () => {}, options)
    onTestFinished(chain.stop)
    return chain
  }
  const timeOf = async (chain: Chain) => Number(((await headOf(chain)) as { timestamp: string }).timestamp)
  const headOf = async ({ url }: Chain) =>
    (await callBatch(url, [['eth_getBlockByNumber', 'latest', false]]))[0]

  test('continues from the block at which it was stopped', async () => {
    const file = path.join(folder, 'chain.json')
    // No block comes by itself between a look at the newest one and the end.
    const options = { blockSecs: 3_600 }
    const first = await begin(file, options)
    await callBatch(first.url, [['evm_mine']])
    const head = await headOf(first)
    await first.stop()

    const second = await begin(file, options)
    expect(head).toMatchObject({ number: '0x2' })
    expect(await headOf(second)).toMatchObject({ hash: (head as { hash: string }).hash })
  })

  test('that was ahead of the machine stays ahead, and no block is older than its parent', async () => {
    const file = path.join(folder, 'ahead.json')
    const first = await begin(file)
    await callBatch(first.url, [['evm_increaseTime', 7_200], ['evm_mine']])
    const before = await timeOf(first)
    await first.stop()

    // As fast as blocks come by themselves, one may come before the chain takes its first call.
    const second = await begin(file, { blockSecs: 1 })
    await callBatch(second.url, [['evm_mine']])
    const last = Number(((await headOf(second)) as { number: string }).number)
    const calls = Array.from({ length: last }, (_, i) => ['eth_getBlockByNumber', i + 1, false] as const)
    const blocks = (await callBatch(second.url, calls)) as { timestamp: string }[]
    const times = blocks.map(({ timestamp }) => Number(timestamp))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(-1)).toBeGreaterThanOrEqual(before)
  })

  test('that was stopped in the past goes on there as long as it shall begin there', async () => {
    const file = path.join(folder, 'interrupted.json')
    const mineAt = async (options: ChainOptions) => {
      const chain = await begin(file, { blockSecs: 3_600, ...options })
      await callBatch(chain.url, [['evm_mine']])
      const time = await timeOf(chain)
      await chain.stop()
      return Date.now() / 1_000 - time
    }
    for (let start = 0; start < 2; start++) {
      const behind = await mineAt({ pastSecs: 7_200 })
      expect(behind).toBeLessThan(7_260)
      expect(behind).toBeGreaterThan(7_000)
    }
    expect(await mineAt({})).toBeLessThan(60)
  })

  test('answers queries for the states of a thousand ordinary blocks, and leaves no file of them', async () => {
    const file = path.join(folder, 'history.json')
    const account = `0x${'ab'.repeat(20)}`
    const chain = await begin(file)
    await callBatch(chain.url, [['anvil_setBalance', account, '0x1']])
    await callBatch(chain.url, [['evm_mine']])
    const [beacon] = await callBatch(chain.url, [['eth_blockNumber']])
    // A balance that is set by hand holds from the last block on.
    await callBatch(chain.url, [['evm_mine']])
    await callBatch(chain.url, [['anvil_setBalance', account, '0x2']])
    await callBatch(chain.url, [['anvil_mine', 1_000, 4]])
    expect(
      await callBatch(chain.url, [
        ['eth_getBalance', account, beacon],
        ['eth_getBalance', account, 'latest'],
      ]),
    ).toEqual(['0x1', '0x2'])
    expect(readdirSync(statesOf(file))).not.toEqual([])
    await chain.stop()
    expect(existsSync(statesOf(file))).toBe(false)
  })

  test('that starts in the past stays behind until it catches up, and starts there only once', async () => {
    const file = path.join(folder, 'past.json')
    const machine = () => Math.floor(Date.now() / 1000)
    const first = await begin(file, { pastSecs: 7_200 })
    await callBatch(first.url, [['evm_mine']])
    expect(machine() - (await timeOf(first))).toBeGreaterThanOrEqual(7_100)
    await catchUp(first.url)
    expect(Math.abs(machine() - (await timeOf(first)))).toBeLessThan(60)
    const [between] = await callBatch(first.url, [['eth_getBlockByNumber', '0xc', false]])
    const behind = machine() - Number((between as { timestamp: string }).timestamp)
    expect(behind).toBeGreaterThan(600)
    expect(behind).toBeLessThan(6_600)
    await first.stop()

    const second = await begin(file, { pastSecs: 7_200 })
    await callBatch(second.url, [['evm_mine']])
    expect(Math.abs(machine() - (await timeOf(second)))).toBeLessThan(60)
    await catchUp(second.url)
    expect(await timeOf(second)).toBeLessThanOrEqual(machine() + 1)
  })

  test('whose state is damaged does not start, and says how to start without it', async () => {
    const file = path.join(folder, 'damaged.json')
    writeFileSync(file, '{"block":')
    await expect(begin(file)).rejects.toThrow(/failed to parse json file.*npm start -- --fresh/s)
  })
})
