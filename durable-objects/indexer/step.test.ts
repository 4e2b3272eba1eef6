import { keccak256, toHex } from 'viem'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { bloomBits, bloomMayContain } from './bloom.ts'
import type { Header, Log } from './chain.ts'
import type { IndexerSettings, IndexerStepper } from './step.ts'
import {
  bloomOf,
  contract,
  from,
  MemoryStore,
  opens,
  ScriptedChain,
  stepperOf,
  vaultAt,
} from './testing/scripted-chain.ts'

test('a bloom filter reports every value that it contains, and excludes most others', () => {
  const values = Array.from({ length: 20 }, (_, i) => keccak256(toHex(`value ${i}`)))
  const bloom = bloomOf(...values)
  for (const value of values) expect(bloomMayContain(bloom, bloomBits(value))).toBe(true)
  const others = Array.from({ length: 200 }, (_, i) => keccak256(toHex(`other ${i}`)))
  expect(others.filter((value) => bloomMayContain(bloom, bloomBits(value))).length).toBeLessThan(10)
})

describe('IndexerStepper', () => {
  let chain: ScriptedChain
  let store: MemoryStore
  let stepper: IndexerStepper
  beforeEach(() => {
    chain = new ScriptedChain()
    store = new MemoryStore()
    stepper = makeStepper()
  })

  const makeStepper = (over?: Partial<IndexerSettings>) => stepperOf(chain, store, over)

  const outcome = async () => (await stepper.step()).outcome
  const expected = () => chain.allLogs()
  const settle = async () => {
    for (let steps = 0; steps < 20; steps++) if ((await outcome()) === 'idle') return
  }
  const readsAll = async () => {
    await settle()
    expect(store.logs).toEqual(expected())
  }

  test('stores nothing of a range if its last block has changed when it is read again', async () => {
    chain.mine(1, 0, 1)
    chain.afterLogs = () => chain.reorganise(1, 2)
    expect(await outcome()).toBe('suspect')
    expect(store.logs).toEqual([])
    expect([await outcome(), store.logs]).toEqual(['advanced', expected()])
  })

  test('is behind while many blocks remain to be read, and is not behind after a rollback', async () => {
    const isBehind = async () => [await outcome(), store.tip?.isBehind]
    chain.mine(...Array<number>(280).fill(0))
    expect(await isBehind()).toEqual(['advanced', true])
    expect(await isBehind()).toEqual(['advanced', true])
    expect(await isBehind()).toEqual(['advanced', false])
    chain.reorganise(2, 0, 0)
    expect(await isBehind()).toEqual(['rolled_back', false])
  })

  test('is not behind if the chain ends at the block where it starts to read', async () => {
    chain.mine(0)
    stepper = makeStepper({ startBlock: chain.blocks.length - 1 })
    expect([await outcome(), store.tip?.isBehind]).toEqual(['idle', false])
  })

  test('accepts no log of a block that it did not read', async () => {
    chain.mine(1, 1)
    const [stale] = chain.logsOfHash.get((chain.blocks[2] as Header).hash) as [Log]
    chain.tornLogs = [{ ...stale, blockHash: keccak256('0x01') }]
    expect(await outcome()).toBe('suspect')
    await readsAll()
  })

  test('asks for a block separately if its bloom filter indicates logs and none came', async () => {
    chain.mine(1, 2)
    chain.tornLogs = []
    expect([await outcome(), store.logs]).toEqual(['advanced', expected()])
  })

  test('reads the logs of a block from its receipts while the node has not indexed any of them', async () => {
    chain.mine(0, 2, 1)
    chain.unindexedFrom = 2
    await readsAll()
    expect(chain.receiptsOf).toEqual([2, 3])
  })

  test('asks a node without receipts again, and continues', async () => {
    chain.refusesReceipts = true
    chain.mine(1, 2)
    chain.tornLogs = []
    expect([await outcome(), store.logs]).toEqual(['advanced', expected()])
  })

  test('reads the logs of a vault if the log that opened the vault came late', async () => {
    const vault = vaultAt('7a')
    chain.mineLogs(opens(vault))
    chain.mineLogs(from(vault))
    chain.tornLogs = []
    await readsAll()
  })

  test('asks for no receipts if the bloom filters of the chain match every address', async () => {
    chain.fullBlooms = true
    chain.mine(0, 1, 0)
    await settle()
    expect([store.logs, chain.receiptsOf]).toEqual([expected(), []])
  })

  test('logs that were left out are noticed before the block is final; the block is rolled back, read again and counted', async () => {
    chain.mine(1, 3, 1)
    const [first, second] = expected()
    chain.tornLogs = [first, second] as Log[]
    chain.unindexedFrom = 3
    expect(await outcome()).toBe('advanced')
    expect(store.logs).toHaveLength(3)
    chain.finalNumber = 3
    // The node has the rest only now, for all who ask for a range.
    chain.unindexedFrom = Number.POSITIVE_INFINITY
    expect(await outcome()).toBe('rolled_back')
    expect(store.tip).toMatchObject({ number: 1, final: { number: 0 }, logDifferences: 1 })
    await readsAll()
    expect(store.tip).toMatchObject({ number: 3, final: { number: 3 }, logDifferences: 1 })
    expect(stepper.logDifferences).toBe(1)
  })

  test('a block is not read again and again if the node leaves its logs out for ever', async () => {
    chain.mine(0, 3)
    chain.leavesOut = ({ logIndex }) => logIndex > 0
    await settle()
    chain.finalNumber = 2
    expect(await outcome()).toBe('rolled_back')
    await readsAll()
    // Once for the rollback, once for the answer that differed from the receipts afterwards.
    expect(store.tip).toMatchObject({ final: { number: 2 }, logDifferences: 2 })
  })

  test('logs that are still missing when their block becomes final are found in its receipts', async () => {
    chain.mine(0, 3)
    const part = () => expected().slice(0, 1)
    chain.tornLogs = part()
    await outcome()
    chain.finalNumber = 2
    chain.tornLogs = part()
    expect(await outcome()).toBe('rolled_back')
    await settle()
    expect(store.logs).toHaveLength(3)
    expect(store.tip).toMatchObject({ final: { number: 2 }, logDifferences: 1 })
  })

  test('reads no receipts of blocks that become final long after they were read', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    chain.mine(1, 2)
    await settle()
    vi.setSystemTime(Date.now() + 60_000)
    chain.finalNumber = 2
    await settle()
    vi.useRealTimers()
    expect([store.tip?.final.number, chain.receiptsOf]).toEqual([2, []])
  })

  test('a later answer that leaves logs out rolls nothing back', async () => {
    chain.mine(1, 2)
    await settle()
    chain.finalNumber = 2
    chain.tornLogs = []
    expect(await outcome()).toBe('idle')
    expect(store.logs).toEqual(expected())
    expect(store.tip).toMatchObject({ final: { number: 2 }, logDifferences: 1 })
  })

  test('does not treat a block as final if its logs were read only once', async () => {
    chain.mine(1, 1)
    chain.finalNumber = 2
    expect(await outcome()).toBe('advanced')
    expect(store.tip?.final.number).toBe(0)
    const asked = chain.rangesAsked()
    expect(await outcome()).toBe('idle')
    expect([store.tip?.final.number, asked]).toEqual([2, [2]])
  })

  test('if the first block is not final and disappears, reads it again', async () => {
    chain.mine(0, 0, 0)
    stepper = makeStepper({ startBlock: 3 })
    chain.mine(1)
    await settle()
    chain.reorganise(3, 0, 2, 1)
    expect(await outcome()).toBe('rolled_back')
    await settle()
    expect(store.tip?.hash).toBe(chain.blocks.at(-1)?.hash)
    expect(store.logs).toEqual(expected().slice(2))

    // Once it is final, it stays.
    chain.finalNumber = 3
    await settle()
    chain.reorganise(3, 0, 0, 0)
    expect(await outcome()).toBe('halted')
  })

  test('reads the logs of a vault from the block that opens it, and of no other address', async () => {
    const [vault, stranger] = [vaultAt('7a'), vaultAt('5f')]
    chain.mineLogs(opens(vault), from(vault), from(stranger))
    chain.mine(0)
    chain.mineLogs(from(stranger), from(vault))
    await settle()
    expect(store.logs.map(({ address }) => address)).toEqual([contract, vault, vault])

    chain.mineLogs(from(vault), from(stranger))
    await settle()
    expect(store.logs).toHaveLength(4)
    // Another copy of the object knows the vault too.
    stepper = makeStepper()
    chain.mineLogs(from(stranger), from(vault))
    await settle()
    expect(store.logs).toHaveLength(5)
  })

  test('if the opening of a vault is rolled back, reads no more logs of the vault', async () => {
    const vault = vaultAt('7a')
    chain.mineLogs(opens(vault), from(vault))
    await settle()
    chain.reorganise(1, 0)
    chain.mineLogs(from(vault))
    await settle()
    expect(store.logs).toEqual([])
  })

  test('if a node refuses the logs of a block, reads its receipts, including the vaults that the block opens', async () => {
    const vault = vaultAt('7a')
    chain.refusesLogs = true
    chain.mine(2, 0, 1)
    chain.mineLogs(from(vault), opens(vault), from(vault), from(vaultAt('5f')))
    await settle()
    expect(store.logs.map(({ address }) => address)).toEqual([...Array(4).fill(contract), vault])
  })

  test('keeps a limited number of logs in memory, and asks for fewer blocks', async () => {
    chain.mine(...Array.from({ length: 40 }, () => 600))
    const asked = chain.rangesAsked()
    await outcome()
    expect(asked).toEqual([40, 20, 10])
    expect(store.tip?.number).toBe(2)
  })

  test('halts if its settings differ from those it started with, and continues when they are restored', async () => {
    chain.mine(1, 1)
    await settle()
    const own = stepper
    stepper = makeStepper({ contracts: { registry: vaultAt('c4') }, startBlock: 1 })
    chain.mine(1)
    const difference = `registry was ${contract}, and is ${vaultAt('c4')}; start_block was 0, and is 1`
    const halted = expect.stringContaining(difference)
    expect(await stepper.step()).toMatchObject({ outcome: 'halted', indexed: 2, halted })
    expect(store.tip?.number).toBe(2)
    stepper = own
    expect(await outcome()).toBe('advanced')
  })

  test('halts while nodes contradict each other, and still reports the height of the chain', async () => {
    chain.mine(1)
    await settle()
    chain.mine(1)
    chain.contradiction = 'two nodes differ'
    expect(await stepper.step()).toEqual({ outcome: 'halted', indexed: 1, halted: 'two nodes differ' })
    expect(stepper.head).toBe(2)
    chain.contradiction = null
    expect(await outcome()).toBe('advanced')
  })

  test('starts only on the configured chain', async () => {
    chain.id = 1
    expect(await outcome()).toBe('suspect')
    expect(store.tip).toBeNull()
    chain.id = 31337
    expect(await outcome()).toBe('idle')
    expect(store.tip?.number).toBe(0)
  })

  test('writes no more logs at once than the database accepts, and never stores a block in part', async () => {
    chain.mine(900, 500, 900, 2_000, 1)
    const tips: number[] = []
    for (let steps = 0; steps < 4; steps++) {
      await outcome()
      tips.push(store.tip?.number ?? 0)
    }
    expect(tips).toEqual([2, 3, 4, 5])
    expect(store.logs).toEqual(expected())
  })

  test('asks for fewer blocks after a node refused a range', async () => {
    chain.mine(...Array.from({ length: 40 }, () => 1))
    chain.refusesAbove = 12
    const asked = chain.rangesAsked()
    for (let steps = 0; steps < 12; steps++) await outcome().catch(() => {})
    expect(asked.slice(0, 4)).toEqual([40, 20, 10, 15])
    expect(store.logs).toEqual(expected())
  })

  test('a node that lags behind is not a reorganisation, however long it lags', async () => {
    chain.mine(1, 1, 1, 1)
    await settle()
    const removed = chain.blocks.splice(3)
    for (let looks = 0; looks < 100; looks++) expect(await outcome()).toBe('suspect')
    expect(store.logs).toHaveLength(4)
    chain.blocks.push(...removed)
    expect(await outcome()).toBe('idle')
  })

  test('follows a shorter chain as soon as it has a different block', async () => {
    chain.mine(1, 1, 1, 1)
    await settle()
    chain.reorganise(3, 2)
    expect(await outcome()).toBe('rolled_back')
    await readsAll()
  })

  test('a reorganisation deeper than the known blocks rolls back to the final block, and never below it', async () => {
    chain.mine(1, 1, 1, 1, 1, 1, 1, 1)
    chain.finalNumber = 2
    await settle()
    expect(store.tip?.final.number).toBe(2)
    chain.reorganise(6, 2, 0, 2, 0, 2, 0)
    expect(await outcome()).toBe('rolled_back')
    expect(store.tip?.number).toBe(2)
    await readsAll()

    const before = store.logs
    chain.reorganise(7, 1, 1, 1, 1, 1, 1, 1)
    expect(await outcome()).toBe('halted')
    expect(store.logs).toBe(before)
  })

  test.each([
    ['no event', 0],
    ['an event', 1],
  ])('halts if final blocks disappear while the logs of blocks with %s are confirmed', async (_, events) => {
    chain.mine(1, 0, events, 0, 0)
    chain.finalNumber = 1
    await settle()
    chain.finalNumber = 4
    const { tip } = store
    chain.afterLogs = () => chain.reorganise(5, 0, 0, 0, 0, 0)
    expect([await outcome(), await outcome()]).toEqual(['suspect', 'halted'])
    expect(store.tip).toEqual(tip)
  })

  test('equals the chain after any history of reorganisations', async () => {
    let state = 12_345
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state % below
    }
    chain.mine(...Array.from({ length: 10 }, () => random(3)))
    for (let round = 0; round < 200; round++) {
      const depth = random(Math.min(9, chain.blocks.length - 1 - (store.tip?.final.number ?? 0)) + 1)
      const grown = Array.from({ length: depth + random(3) }, () => random(3))
      chain.reorganise(depth, ...grown)
      chain.finalNumber = Math.max(chain.finalNumber, chain.blocks.length - 12)
      if (random(2) === 0) await outcome()
      await settle()
      expect(store.logs).toEqual(expected())
    }
  })
})
