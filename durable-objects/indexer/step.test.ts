import { type Hex, hexToBytes, keccak256, toHex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { bloomBits, bloomMayContain } from './bloom.ts'
import type { Header, IndexerChain, Log } from './chain.ts'
import { type BlockRef, type Cursor, IndexerStepper, type IndexStore, type StoreOutcome } from './step.ts'

const topic = keccak256(toHex('event'))
const contract = `0x${'c3'.repeat(20)}`

/** A bloom of these values, written again from the definition in the yellow paper. */
function bloomOf(...values: string[]): string {
  const bits = new Uint8Array(256)
  for (const value of values) {
    const hash = hexToBytes(keccak256(value as Hex))
    for (const at of [0, 2, 4]) {
      const bit = (((hash[at] as number) * 256 + (hash[at + 1] as number)) % 2048) as number
      bits[255 - Math.floor(bit / 8)] = (bits[255 - Math.floor(bit / 8)] as number) | (1 << (bit % 8))
    }
  }
  return toHex(bits)
}

test('a bloom denies nothing that is in it, and most of what is not', () => {
  const values = Array.from({ length: 20 }, (_, i) => keccak256(toHex(`value ${i}`)))
  const bloom = bloomOf(...values)
  for (const value of values) expect(bloomMayContain(bloom, bloomBits(value))).toBe(true)
  const others = Array.from({ length: 200 }, (_, i) => keccak256(toHex(`other ${i}`)))
  expect(others.filter((value) => bloomMayContain(bloom, bloomBits(value))).length).toBeLessThan(10)
})

/** A chain in memory whose branch is replaced at will, and whose answers can be cut or torn. */
class ScriptedChain {
  blocks: Header[] = []
  logsOfHash = new Map<string, Log[]>()
  finalNumber = 0
  /** What the next range of logs is answered with, instead of what is true. */
  tornLogs: Log[] | null = null
  /** Happens between the reading of logs and the second look at the end. */
  afterLogs: (() => void) | null = null
  /** Ranges of more blocks than this are refused. */
  refusesAbove = Number.POSITIVE_INFINITY
  id = 31337
  /** Who emits what later blocks have. */
  emitter = contract
  onLogs: ((blocks: number) => void) | null = null
  #branch = 0

  constructor() {
    this.blocks.push(this.#block(0, `0x${'00'.repeat(32)}`, 0))
  }

  mine(...logCounts: number[]): void {
    for (const count of logCounts) {
      const parent = this.blocks.at(-1) as Header
      this.blocks.push(this.#block(parent.number + 1, parent.hash, count))
    }
  }

  /** Drops the last blocks and mines others. */
  reorganise(depth: number, ...logCounts: number[]): void {
    this.#branch += 1
    this.blocks.splice(this.blocks.length - depth, depth)
    this.mine(...logCounts)
  }

  #block(number: number, parentHash: string, logs: number): Header {
    const hash = keccak256(toHex(`${this.#branch} ${number}`))
    this.logsOfHash.set(
      hash,
      Array.from({ length: logs }, (_, logIndex) => ({
        blockNumber: number,
        blockHash: hash,
        logIndex,
        transactionHash: hash,
        address: this.emitter,
        topics: [topic],
        data: '0x',
      })),
    )
    return {
      number,
      hash,
      parentHash,
      timestamp: number,
      logsBloom: logs > 0 ? bloomOf(topic, this.emitter) : bloomOf(),
    }
  }

  asChain(): IndexerChain {
    const header = (number: number) => this.blocks[number] ?? null
    return {
      headers: async (numbers: (number | 'latest')[]) =>
        numbers.map((number) => (number === 'latest' ? (this.blocks.at(-1) as Header) : header(number))),
      chainId: async () => this.id,
      finalized: async () => header(this.finalNumber),
      logs: async (from: number, to: number) => {
        this.onLogs?.(to - from + 1)
        if (to - from + 1 > this.refusesAbove) throw new Error('query returned too many results')
        const logs =
          this.tornLogs ??
          this.blocks.slice(from, to + 1).flatMap(({ hash }) => this.logsOfHash.get(hash) ?? [])
        this.tornLogs = null
        this.afterLogs?.()
        this.afterLogs = null
        return logs
      },
      logsOfBlocks: async (hashes: string[]) => hashes.flatMap((hash) => this.logsOfHash.get(hash) ?? []),
    } as unknown as IndexerChain
  }
}

class MemoryStore implements IndexStore {
  tip: Cursor | null = null
  logs: Log[] = []
  blocks: BlockRef[] = []
  async cursor() {
    return this.tip
  }
  async begin(at: BlockRef) {
    this.tip = { ...at, final: at }
  }
  async recentBlocks() {
    return [...this.blocks].reverse().slice(0, 4)
  }
  async append(
    _: Cursor,
    headers: readonly Header[],
    logs: readonly Log[],
    final: BlockRef,
  ): Promise<StoreOutcome> {
    this.logs.push(...logs)
    this.blocks.push(...headers)
    this.tip = { ...(headers.at(-1) as Header), final }
    return 'done'
  }
  async finalize(tip: Cursor, final: BlockRef): Promise<StoreOutcome> {
    this.tip = { ...tip, final }
    return 'done'
  }
  async rollback(tip: Cursor, to: BlockRef): Promise<StoreOutcome> {
    this.logs = this.logs.filter(({ blockNumber }) => blockNumber <= to.number)
    this.blocks = this.blocks.filter(({ number }) => number <= to.number)
    this.tip = { ...to, final: tip.final }
    return 'done'
  }
}

describe('IndexerStepper', () => {
  let chain: ScriptedChain
  let store: MemoryStore
  let stepper: IndexerStepper
  beforeEach(() => {
    chain = new ScriptedChain()
    store = new MemoryStore()
    stepper = new IndexerStepper(chain.asChain(), store, {
      chainId: 31337,
      startBlock: 0,
      topics: [topic],
      finalityBlocks: null,
    })
  })

  const outcome = async () => (await stepper.step()).outcome
  const expected = () => chain.blocks.flatMap(({ hash }) => chain.logsOfHash.get(hash) ?? [])
  const settle = async () => {
    for (let steps = 0; steps < 20; steps++) if ((await outcome()) === 'idle') return
  }

  test('takes nothing of a range whose end is another block when it is looked at again', async () => {
    chain.mine(1, 0, 1)
    chain.afterLogs = () => chain.reorganise(1, 2)
    expect(await outcome()).toBe('suspect')
    expect(store.logs).toEqual([])
    expect(await outcome()).toBe('advanced')
    expect(store.logs).toEqual(expected())
  })

  test('takes no log of a block it did not read', async () => {
    chain.mine(1, 1)
    const [stale] = chain.logsOfHash.get((chain.blocks[2] as Header).hash) as [Log]
    chain.tornLogs = [{ ...stale, blockHash: keccak256('0x01') }]
    expect(await outcome()).toBe('suspect')
    await settle()
    expect(store.logs).toEqual(expected())
  })

  test('asks for a block on its own when its bloom promises logs and none came', async () => {
    chain.mine(1, 2)
    chain.tornLogs = []
    expect(await outcome()).toBe('advanced')
    expect(store.logs).toEqual(expected())
  })

  test('asks so for the logs of contracts that nobody knew beforehand, as vaults are', async () => {
    chain.emitter = `0x${'7a'.repeat(20)}`
    chain.mine(0, 1, 2, 0, 1)
    chain.tornLogs = []
    expect(await outcome()).toBe('advanced')
    expect(store.logs).toEqual(expected())
  })

  test('begins on the chain it is made for only', async () => {
    chain.id = 1
    expect(await outcome()).toBe('suspect')
    expect(store.tip).toBeNull()
    chain.id = 31337
    expect(await outcome()).toBe('idle')
    expect(store.tip?.number).toBe(0)
  })

  test('writes no more logs at once than the database takes, and leaves no block half read', async () => {
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
    const asked: number[] = []
    chain.refusesAbove = 12
    chain.onLogs = (blocks) => asked.push(blocks)
    for (let steps = 0; steps < 12; steps++) await outcome().catch(() => {})
    expect(asked.slice(0, 4)).toEqual([40, 20, 10, 15])
    expect(store.logs).toEqual(expected())
  })

  test('a shorter chain is followed only once it has stayed so', async () => {
    chain.mine(1, 1, 1, 1)
    await settle()
    const removed = chain.blocks.splice(3)
    for (let looks = 0; looks < 4; looks++) expect(await outcome()).toBe('suspect')
    chain.blocks.push(...removed)
    expect(await outcome()).toBe('idle')
    chain.blocks.splice(3)
    for (let looks = 0; looks < 4; looks++) expect(await outcome()).toBe('suspect')
    expect(await outcome()).toBe('rolled_back')
    expect(store.logs).toEqual(expected())
  })

  test('deeper than the known blocks it goes back to the final one, and never below', async () => {
    chain.mine(1, 1, 1, 1, 1, 1, 1, 1)
    chain.finalNumber = 2
    await settle()
    expect(store.tip?.final.number).toBe(2)
    chain.reorganise(6, 2, 0, 2, 0, 2, 0)
    expect(await outcome()).toBe('rolled_back')
    expect(store.tip?.number).toBe(2)
    await settle()
    expect(store.logs).toEqual(expected())

    const before = store.logs
    chain.reorganise(7, 1, 1, 1, 1, 1, 1, 1)
    expect(await outcome()).toBe('halted')
    expect(store.logs).toBe(before)
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
