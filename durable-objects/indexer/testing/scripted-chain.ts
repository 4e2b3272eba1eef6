import { type Hex, hexToBytes, keccak256, toHex } from 'viem'
import type { Block } from '../../../protocol/committees/index.ts'
import { RpcError, RpcUnreachable } from '../../chain/json-rpc.ts'
import type { Header, IndexerChain, Log } from '../chain.ts'
import type { BlockRef, Cursor, IndexedNetwork, IndexStore } from '../index-store.ts'
import { type IndexerSettings, IndexerStepper } from '../step.ts'

const topic = keccak256(toHex('event'))
export const contract = `0x${'c3'.repeat(20)}`
const opening = keccak256(toHex('opening'))

/** A bloom of these values, written again from the definition in the yellow paper. */
export function bloomOf(...values: string[]): string {
  const bits = new Uint8Array(256)
  for (const value of values) {
    const hash = hexToBytes(keccak256(value as Hex))
    for (const at of [0, 2, 4]) {
      const bit = (hash[at]! * 256 + hash[at + 1]!) % 2048
      bits[255 - Math.floor(bit / 8)]! |= 1 << (bit % 8)
    }
  }
  return toHex(bits)
}

const blooms = new Map<string, string>()
/** The bloom of these values; those of many blocks are the same. */
function keptBloomOf(...values: string[]): string {
  const key = values.join()
  const bloom = blooms.get(key) ?? bloomOf(...values)
  blooms.set(key, bloom)
  return bloom
}

type Emitted = Pick<Log, 'address' | 'topics'>

export const vaultAt = (byte: string) => `0x${byte.repeat(20)}`
export const from = (address: string): Emitted => ({ address, topics: [topic] })
/** A log of the contract that opens a vault. */
export const opens = (vault: string): Emitted => ({ address: contract, topics: [opening, vault] })

/** A chain in memory whose branch is replaced at will, and whose answers can be cut or torn. */
export class ScriptedChain {
  blocks: Header[] = []
  logsOfHash = new Map<string, Log[]>()
  finalNumber = 0
  /** The answer to the next question for a range of logs, instead of the true logs. */
  tornLogs: Log[] | null = null
  /** Happens between the reading of logs and the second look at the end. */
  afterLogs: (() => void) | null = null
  /** The node has not indexed the logs of blocks from this number on; it has their receipts. */
  unindexedFrom = Number.POSITIVE_INFINITY
  /** Logs that the node leaves out; it has their receipts. */
  leavesOut: (log: Log) => boolean = () => false
  refusesReceipts = false
  calls = 0
  receiptsOf: number[] = []
  /** Every bit of every bloom filter is set. */
  fullBlooms = false
  refusesAbove = Number.POSITIVE_INFINITY
  id = 31337
  onLogs: ((blocks: number) => void) | null = null
  /** Every question with a filter for logs is refused. */
  refusesLogs = false
  /** The conflict between nodes, as text; null if they agree. */
  contradiction: string | null = null
  #branch = 0

  constructor() {
    this.blocks.push(this.#block(0, `0x${'00'.repeat(32)}`, []))
  }

  /** A block for each number, with as many logs of the contract. */
  mine(...logCounts: number[]): void {
    for (const count of logCounts) this.mineLogs(...Array.from({ length: count }, () => from(contract)))
  }

  mineLogs(...emitted: Emitted[]): void {
    const parent = this.blocks.at(-1) as Header
    this.blocks.push(this.#block(parent.number + 1, parent.hash, emitted))
  }

  reorganise(depth: number, ...logCounts: number[]): void {
    this.#branch += 1
    this.blocks.splice(this.blocks.length - depth, depth)
    this.mine(...logCounts)
  }

  #block(number: number, parentHash: string, emitted: Emitted[]): Header {
    const hash = keccak256(toHex(`${this.#branch} ${number}`))
    const place = { blockNumber: number, blockHash: hash, transactionHash: hash, data: '0x' }
    this.logsOfHash.set(
      hash,
      emitted.map((log, logIndex) => ({ ...log, ...place, logIndex })),
    )
    const names = new Set(emitted.flatMap(({ address, topics }) => [address, ...topics]))
    const logsBloom = this.fullBlooms ? `0x${'ff'.repeat(256)}` : keptBloomOf(...names)
    return { number, hash, parentHash, timestamp: number, logsBloom }
  }

  #logsFrom(hashes: string[], addresses: string[]): Log[] {
    return hashes
      .flatMap((hash) => this.logsOfHash.get(hash) ?? [])
      .filter(({ address, blockNumber }) => addresses.includes(address) && blockNumber < this.unindexedFrom)
      .filter((log) => !this.leavesOut(log))
  }

  #answerLogs(hashes: string[], addresses: string[]): Log[] {
    this.onLogs?.(hashes.length)
    if (this.refusesLogs || hashes.length > this.refusesAbove)
      throw new RpcError(-32_005, 'query returned too many results')
    const logs = this.tornLogs ?? this.#logsFrom(hashes, addresses)
    this.tornLogs = null
    this.afterLogs?.()
    this.afterLogs = null
    return logs
  }

  allLogs(): Log[] {
    return this.blocks.flatMap(({ hash }) => this.logsOfHash.get(hash) ?? [])
  }

  /** How many blocks each question for logs is about, from now on. */
  rangesAsked(): number[] {
    const asked: number[] = []
    this.onLogs = (blocks) => asked.push(blocks)
    return asked
  }

  asChain(): IndexerChain {
    const header = (number: number) => this.blocks[number] ?? null
    return {
      headers: async (numbers: (number | 'latest')[]) => {
        this.calls += numbers.length
        return numbers.map((number) => header(number === 'latest' ? this.blocks.length - 1 : number))
      },
      chainId: async () => this.id,
      finalized: async () => {
        this.calls += 1
        return header(this.finalNumber)
      },
      conflict: () => this.contradiction,
      logs: async (from: number, to: number, addresses: string[]) => {
        this.calls += 1
        return this.#answerLogs(
          this.blocks.slice(from, to + 1).map(({ hash }) => hash),
          addresses,
        )
      },
      logsOfBlocks: async (hashes: string[], addresses: string[]) => {
        this.calls += hashes.length
        return this.#answerLogs(hashes, addresses)
      },
      logsOfReceipts: async (hash: string, isWanted: (log: Log) => boolean) => {
        if (this.refusesReceipts) throw new RpcUnreachable('the node has no receipts')
        this.receiptsOf.push(this.blocks.find((block) => block.hash === hash)?.number ?? -1)
        return (this.logsOfHash.get(hash) ?? []).filter(isWanted)
      },
    } as unknown as IndexerChain
  }
}

/** A log with a second topic opens the vault at that address. */
const openedVault = ({ topics: [, vault] }: Log): string | null => vault ?? null

export class MemoryStore implements IndexStore {
  tip: Cursor | null = null
  logs: Log[] = []
  blocks: Block[] = []
  async cursor() {
    return this.tip
  }
  async begin({ number, hash }: BlockRef, network: IndexedNetwork, final: BlockRef) {
    this.tip = { number, hash, final, network, isBehind: true, logDifferences: 0 }
  }
  async vaults() {
    return this.logs.flatMap((log) => openedVault(log) ?? [])
  }
  async recentBlocks() {
    return [...this.blocks].reverse().slice(0, 4)
  }
  append: IndexStore['append'] = async (tip, headers, logs, final, isBehind) => {
    this.logs.push(...logs)
    this.blocks.push(...headers)
    this.tip = { ...tip, ...headers.at(-1)!, final, isBehind }
    return 'done'
  }
  finalize: IndexStore['finalize'] = async (tip, final) => {
    this.tip = { ...tip, final }
    return 'done'
  }
  async differing(from: number, to: number, logs: readonly Log[]): Promise<number[]> {
    const keysOf = (some: readonly Log[]) => (number: number) =>
      some
        .filter(({ blockNumber }) => blockNumber === number)
        .map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`)
        .sort()
        .join()
    const [before, now] = [keysOf(this.logs), keysOf(logs)]
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    return numbers.filter((number) => before(number) !== now(number))
  }
  restart: IndexStore['restart'] = async () => {
    ;[this.logs, this.blocks, this.tip] = [[], [], null]
    return 'done'
  }
  rollback: IndexStore['rollback'] = async (tip, to) => {
    this.logs = this.logs.filter(({ blockNumber }) => blockNumber <= to.number)
    this.blocks = this.blocks.filter(({ number }) => number <= to.number)
    this.tip = { ...tip, ...to }
    return 'done'
  }
}

/** An indexer of the chain from its beginning on. */
export const stepperOf = (chain: ScriptedChain, store: IndexStore, over: Partial<IndexerSettings> = {}) =>
  new IndexerStepper(chain.asChain(), store, {
    ...{ chainId: 31337, startBlock: 0, finalityBlocks: null, blockMs: 0, logBlocks: 2_000 },
    contracts: { registry: contract },
    topics: [topic, opening],
    openedVault,
    ...over,
  })
