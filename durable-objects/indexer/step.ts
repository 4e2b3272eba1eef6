import type { Block } from '../../protocol/committees/index.ts'
import { RequestSize, type RpcMemory } from '../chain/request-size.ts'
import { type BitsOf, bitsOf } from './bloom.ts'
import type { Header, IndexerChain, Log } from './chain.ts'
import { FinalBlocks, type FinalitySettings, type FinalSeen } from './final-blocks.ts'
import type { BlockRef, Cursor, IndexedNetwork, IndexStore, StoreOutcome } from './index-store.ts'
import {
  type BlocksWithLogs,
  firstLogs,
  type LogFilter,
  LogReader,
  logKey,
  type RangeOfLogs,
} from './log-reader.ts'

export interface IndexerSettings extends LogFilter, FinalitySettings {
  chainId: number
  /** Blocks whose logs are asked for at once where their headers are not; more or fewer as the nodes answer. */
  logBlocks: number
}

/**
 * - `idle`: nothing new
 * - `advanced`, `rolled_back`: something was written, go on at once
 * - `suspect`: the answers do not fit together, which a node that lags behind explains; ask again later
 * - `halted`: nothing is written until an operator acts
 */
export type StepOutcome = 'idle' | 'advanced' | 'rolled_back' | 'suspect' | 'halted'

export interface Step {
  outcome: StepOutcome
  /** Null before the first block that is read. */
  indexed: number | null
  /** Why it is halted, and what to do about it; null otherwise. */
  halted: string | null
}

const rangeMax = 100
const recentMax = 16
/** Blocks that an index may be late by and is not behind. */
const lagMax = 50
const spanMax = 10_000
/** Blocks below the head from which on every node has indexed the logs of a block. */
const settledDepth = 128
const receiptBlocksMax = 20
/** Blocks of a jump of the head that are read before the tip is asked for: mostly they show that it is still there. */
const jumpMax = 16
/** A node may leave out the same logs twice within this time. */
const lagMsMax = 30_000

const readAnew = 'read the chain again from its start: npm run -s operator -- reindex'

/** Reads one range of blocks, or rolls back to the fork point of a reorganisation. Nothing is believed that was read only once. */
export class IndexerStepper {
  readonly #chain: IndexerChain
  readonly #reader: LogReader
  readonly #final: FinalBlocks
  readonly #store: IndexStore
  readonly #settings: IndexerSettings
  readonly #network: IndexedNetwork
  #vaults: { tip: string; bits: BitsOf } | null = null
  /** When blocks that are not final were read, up to which number, lowest first. */
  #read: { to: number; atMs: number }[] = []
  #range = rangeMax
  readonly #span: RequestSize
  #head: number | null = null
  #recent: readonly Block[] = []
  #logDifferences: number | null = null

  constructor(chain: IndexerChain, store: IndexStore, settings: IndexerSettings, memory?: RpcMemory) {
    this.#chain = chain
    this.#reader = new LogReader(chain, settings)
    this.#final = new FinalBlocks(chain, settings)
    this.#store = store
    this.#settings = settings
    const sizes = { first: settings.logBlocks, max: spanMax, grown: (blocks: number) => blocks * 2 }
    this.#span = new RequestSize(sizes, memory && { memory, key: 'blocks of logs' })
    const { chainId, startBlock, contracts } = settings
    this.#network = { chain_id: chainId, start_block: startBlock, ...contracts }
  }

  /** The number of the latest block when the chain was asked last; null before it answered. */
  get head(): number | null {
    return this.#head
  }

  /** The block that the chain called final when it was asked last; null if it named none. */
  get final(): FinalSeen | null {
    return this.#final.seen
  }

  /** The newest indexed blocks, in their order; without gaps once everything was read. */
  get recent(): readonly Block[] {
    return this.#recent
  }

  /** How often a node gave other logs of the same blocks than before; null before the first step. */
  get logDifferences(): number | null {
    return this.#logDifferences
  }

  async step(): Promise<Step> {
    const tip = (await this.#store.cursor()) ?? (await this.#begin())
    if (tip === null) return { outcome: 'suspect', indexed: null, halted: null }
    this.#logDifferences = tip.logDifferences
    const [latest] = await this.#chain.headers(['latest'])
    this.#head = latest?.number ?? this.#head
    const halted = this.#otherNetwork(tip) ?? this.#chain.conflict()
    if (halted !== null) return report('halted', tip, halted)
    if (!latest) return suspect(tip)
    const between = await this.#between(tip, latest)
    const parent = latest.hash === tip.hash ? latest.hash : (between[0] ?? latest).parentHash
    if (parent !== tip.hash) {
      const [own = null] = await this.#chain.headers([tip.number])
      if (own?.hash !== tip.hash) return this.#reorganise(tip, own, latest)
    }
    if (this.#recent.at(-1)?.hash !== tip.hash)
      this.#recent = (await this.#store.recentBlocks()).slice(0, recentMax).reverse()

    const final = await this.#final.at(tip, latest)
    let confirmed = tip
    if (final.number > tip.final.number && tip.number > tip.final.number) {
      const next = await this.#confirm(tip, final)
      if ('outcome' in next) return next
      confirmed = next
    }
    if (latest.number <= tip.number) {
      if (confirmed !== tip || tip.isBehind)
        await this.#store.finalize({ ...confirmed, isBehind: false }, confirmed.final)
      return report('idle', tip)
    }
    const settled = Math.min(final.number, latest.number - settledDepth)
    if (settled - tip.number >= rangeMax) {
      if (confirmed.final.number === tip.number) return this.#readSettled(confirmed, settled, latest)
      const written = await this.#store.finalize(confirmed, confirmed.final)
      return outcomeOf(written, 'advanced', tip)
    }
    const to = Math.min(latest.number, tip.number + this.#range)
    const read = await this.#readRange(tip, to, [...between, latest])
    if (read === null) return suspect(tip)
    return this.#append(confirmed, read, confirmed.final, latest)
  }

  /** The blocks between the tip and a head that is a few blocks ahead; none where the node lacks one. */
  async #between({ number }: BlockRef, latest: Header): Promise<Header[]> {
    const count = latest.number - number - 1
    if (count < 1 || count >= Math.min(jumpMax, this.#range)) return []
    const found = await this.#chain.headers(Array.from({ length: count }, (_, index) => number + 1 + index))
    return found.every((header) => header !== null) ? found : []
  }

  async #append(
    tip: Cursor,
    { headers, logs }: BlocksWithLogs,
    final: BlockRef,
    latest: Header,
  ): Promise<Step> {
    const last = headers.at(-1) as Header
    const isBehind = latest.number - last.number > lagMax
    const written = await this.#store.append(tip, headers, logs, final, isBehind)
    if (written === 'moved') return suspect(tip)
    this.#rememberVaults(logs, last.hash)
    const blocks = headers.map(({ number, hash, timestamp }): Block => ({ number, hash, timestamp }))
    this.#recent = [...this.#recent, ...blocks].slice(-recentMax)
    if (last.number > final.number) this.#read.push({ to: last.number, atMs: Date.now() })
    return report('advanced', last)
  }

  /** Whether a block was read a short time ago, or another copy of the object read it. */
  #isRecent(number: number): boolean {
    const read = this.#read.find(({ to }) => to >= number)
    return read === undefined || Date.now() - read.atMs < lagMsMax
  }

  /** From here on every block is linked to this one or final, so no other chain's can follow. */
  async #begin(): Promise<Cursor | null> {
    if ((await this.#chain.chainId()) !== this.#settings.chainId) return null
    const [latest, start] = await this.#chain.headers(['latest', this.#settings.startBlock])
    if (!latest || !start) return null
    const final = await this.#final.of(latest)
    const before = final ?? { number: start.number - 1, hash: start.parentHash }
    const isFinal = start.number === 0 || before.number >= start.number
    await this.#store.begin(start, this.#network, isFinal ? start : before)
    return this.#store.cursor()
  }

  /** Why what is indexed is not of this network, or null when it is. */
  #otherNetwork({ network }: Cursor): string | null {
    const names = [...new Set([...Object.keys(network), ...Object.keys(this.#network)])].sort()
    const changed = names.filter((name) => network[name] !== this.#network[name])
    if (changed.length === 0) return null
    const list = changed.map((name) => `${name} was ${network[name]}, and is ${this.#network[name]}`)
    return `The index was started with other settings: ${list.join('; ')}. Restore PROFILE, CHAIN_CONTRACTS and CHAIN_START_BLOCK, or ${readAnew}`
  }

  /**
   * Reads the logs of blocks that have become final once more: a node may give only a part before it has indexed them. If the two readings
   * differ, or a block became final soon after it was read, receipts decide; a block that was read wrongly is taken back with all after it.
   * Otherwise returns the cursor to write, with the block that is final now.
   */
  async #confirm(tip: Cursor, final: BlockRef): Promise<Step | Cursor> {
    const from = Math.max(tip.final.number, this.#settings.startBlock) + 1
    const vaults = await this.#knownVaults(tip)
    const end = Math.min(final.number, tip.number)
    if (end < from) return { ...tip, final: { number: tip.number, hash: tip.hash } }
    const read = await this.#ofRange(from, Math.min(end, from + this.#span.most - 1), vaults)
    const { to } = read
    const logs = read.logs.filter(({ blockNumber: number }) => number >= from && number <= to)
    const differing = await this.#store.differing(from, to, logs)
    const recent = logs.map(({ blockNumber }) => blockNumber).filter((number) => this.#isRecent(number))
    const doubtful = [...new Set([...differing, ...recent])].sort((a, b) => a - b)
    const checked = doubtful.slice(0, receiptBlocksMax)
    const confirmed = (doubtful[receiptBlocksMax] ?? to + 1) - 1
    const [last, ...blocks] = (await this.#headersOf(tip, [confirmed, ...checked])) ?? []
    if (!last) return suspect(tip)
    const counted = { ...tip, logDifferences: tip.logDifferences + Number(differing.length > 0) }
    const known = new Map([...vaults, ...bitsOf(this.#reader.opened(logs))])
    for (const [at, block] of blocks.entries()) {
      const held = await this.#reader.ofReceipts(block, known)
      // It is the second answer that had not everything.
      if ((await this.#store.differing(block.number, block.number, held)).length === 0) continue
      for (const { hash } of blocks.slice(at)) this.#reader.distrust(hash)
      console.warn(`the first read of block ${block.number} lacked some of its logs`)
      const found = { ...tip, logDifferences: tip.logDifferences + 1 }
      return this.#rollback(found, { number: block.number - 1, hash: block.parentHash })
    }
    this.#read = this.#read.filter(({ to: number }) => number > confirmed)
    return { ...counted, final: { number: last.number, hash: last.hash } }
  }

  /** The final blocks up to `settled`, with headers of those with logs. Nothing tells that these are all, so they are read twice. */
  async #readSettled(tip: Cursor, settled: number, latest: Header): Promise<Step> {
    const vaults = await this.#knownVaults(tip)
    const from = tip.number + 1
    const read = await this.#ofRange(from, Math.min(settled, tip.number + this.#span.most), vaults)
    const { to, logs } = firstLogs(read)
    const numbers = [...new Set([...logs.map(({ blockNumber }) => blockNumber), to])]
    const headers = await this.#headersOf(tip, numbers)
    if (headers === null || !this.#reader.areOf(headers, logs)) return suspect(tip)
    const again = await this.#reader.ofRange(from, to, vaults)
    if (again.to < to) return suspect(tip)
    if (keysOf(again.logs) !== keysOf(logs)) {
      await this.#store.finalize({ ...tip, logDifferences: tip.logDifferences + 1 }, tip.final)
      return suspect(tip)
    }
    return this.#append(tip, { headers, logs }, headers.at(-1) as Header, latest)
  }

  /** The headers of blocks, or null if the chain no longer has the tip: what was read of a replaced chain proves nothing. */
  async #headersOf(tip: BlockRef, numbers: readonly number[]): Promise<Header[] | null> {
    const found = (await this.#chain.headers([...numbers, tip.number])).filter((header) => header !== null)
    return found.length > numbers.length && found.pop()?.hash === tip.hash ? found : null
  }

  async #ofRange(from: number, to: number, vaults: BitsOf): Promise<RangeOfLogs> {
    const blocks = to - from + 1
    const read = await this.#reader.ofRange(from, to, vaults)
    if (read.to < to) this.#span.noteRefused(blocks)
    else this.#span.noteTaken(blocks)
    return read
  }

  /**
   * The blocks after `tip` with their logs, or null when answers contradict each other. Nodes refuse too much in their own words, so any failure makes the
   * next range smaller; it grows again slowly.
   */
  async #readRange(tip: BlockRef, to: number, known: readonly Header[]): Promise<BlocksWithLogs | null> {
    try {
      const read = await this.#readLinked(tip, to, known)
      this.#range = Math.min(rangeMax, this.#range + 5)
      return read
    } catch (error) {
      this.#range = Math.max(1, Math.floor(Math.min(this.#range, to - tip.number) / 2))
      throw error
    }
  }

  /** @param known - Blocks up to the head: all after the tip, or the head alone. */
  async #readLinked(tip: BlockRef, to: number, known: readonly Header[]): Promise<BlocksWithLogs | null> {
    const numbers = Array.from({ length: to - tip.number }, (_, index) => tip.number + 1 + index)
    const isKnown = known[0]?.number === numbers[0] && known.length === numbers.length
    const headers = isKnown ? known : await this.#chain.headers(numbers)
    const found = headers.filter((header) => header !== null)
    if (found.length !== numbers.length) return null
    let parent = tip.hash
    for (const header of found) {
      if (header.parentHash !== parent) return null
      parent = header.hash
    }
    const vaults = await this.#knownVaults(tip)
    const read = await this.#reader.ofBlocks(found, vaults)
    if (read.headers.length < found.length) this.#range = read.headers.length
    if (!this.#reader.areOf(read.headers, read.logs)) return null
    const last = read.headers.at(-1) as Header
    // The logs of one block are asked for by its hash, those of several by numbers, which may have become other blocks.
    if (found.length > 1 && this.#reader.areNamed(found, vaults)) {
      const [endAgain] = await this.#chain.headers([last.number])
      if (endAgain?.hash !== last.hash) return null
    }
    const first = firstLogs({ to: last.number, logs: read.logs })
    return { headers: read.headers.filter(({ number }) => number <= first.to), logs: first.logs }
  }

  /** The vaults as of the tip, read again whenever somebody else moved it. */
  async #knownVaults(tip: BlockRef): Promise<BitsOf> {
    if (this.#vaults?.tip !== tip.hash)
      this.#vaults = { tip: tip.hash, bits: bitsOf(await this.#store.vaults()) }
    return this.#vaults.bits
  }

  #rememberVaults(logs: readonly Log[], tip: string): void {
    if (this.#vaults === null) return
    this.#vaults = { tip, bits: new Map([...this.#vaults.bits, ...bitsOf(this.#reader.opened(logs))]) }
  }

  async #reorganise(tip: Cursor, own: Header | null, latest: Header): Promise<Step> {
    const known = await this.#store.recentBlocks()
    if (own === null && !isReplaced([...known, tip.final], latest)) return suspect(tip)
    const present = await this.#chain.headers(known.map(({ number }) => number))
    const shared = known.find(({ hash }, index) => present[index]?.hash === hash)
    if (shared && shared.number >= tip.final.number) return this.#rollback(tip, shared)

    const { startBlock } = this.#settings
    if (tip.final.number < startBlock) {
      console.warn(`reorganisation: the start block ${startBlock} of the index may have changed`)
      return outcomeOf(await this.#store.restart(tip), 'rolled_back', { number: startBlock })
    }
    // Deeper than the known blocks: what is final stays, everything since is read again.
    const [checkpoint] = await this.#chain.headers([tip.final.number])
    if (checkpoint?.hash !== tip.final.hash)
      return report(
        'halted',
        tip,
        `Block ${tip.final.number} was final, but the chain has a different block or no block there. Find the cause; once the chain is correct, ${readAnew}`,
      )
    return this.#rollback(tip, tip.final)
  }

  async #rollback(tip: Cursor, to: BlockRef): Promise<Step> {
    this.#read = this.#read.filter(({ to: number }) => number <= to.number)
    console.warn(`rolled back: ${tip.number} ${tip.hash} -> ${to.number} ${to.hash}`)
    return outcomeOf(await this.#store.rollback(tip, to), 'rolled_back', to)
  }
}

/** @param at - The block up to which the index goes. */
const report = (outcome: StepOutcome, at: { number: number }, halted: string | null = null): Step => ({
  outcome,
  indexed: at.number,
  halted,
})

const suspect = (at: { number: number }): Step => report('suspect', at)

/** The report of a write; `suspect` if somebody else has moved the tip. */
const outcomeOf = (written: StoreOutcome, outcome: StepOutcome, at: { number: number }): Step =>
  report(written === 'done' ? outcome : 'suspect', at)

/** Whether the chain's latest block, lower than ours, is another one than we know of its number. Otherwise the node may only lag, for however long. */
const isReplaced = (known: readonly BlockRef[], { number, hash }: Header): boolean =>
  known.some((block) => block.number === number && block.hash !== hash)

const keysOf = (logs: readonly Log[]): string => logs.map(logKey).sort().join()
