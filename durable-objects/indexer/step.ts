import { bloomBits, bloomMayContain } from './bloom.ts'
import type { Header, IndexerChain, Log } from './chain.ts'

export interface BlockRef {
  number: number
  hash: string
}

export interface Cursor extends BlockRef {
  /** The last block that no reorganisation removes. */
  final: BlockRef
}

/** Where an indexer keeps what it read. Every write changes nothing and answers `moved` unless `tip` is still the tip. */
export interface IndexStore {
  cursor(): Promise<Cursor | null>
  begin(at: BlockRef): Promise<void>
  /** Known blocks below the tip, highest first. */
  recentBlocks(): Promise<BlockRef[]>
  append(
    tip: Cursor,
    headers: readonly Header[],
    logs: readonly Log[],
    final: BlockRef,
  ): Promise<StoreOutcome>
  finalize(tip: Cursor, final: BlockRef): Promise<StoreOutcome>
  rollback(tip: Cursor, to: BlockRef): Promise<StoreOutcome>
}

export type StoreOutcome = 'done' | 'moved'

export interface IndexerSettings {
  chainId: number
  /** Read from the block after this one. */
  startBlock: number
  topics: readonly string[]
  /** Depth at which a block is final, for chains that do not say; null asks the chain. */
  finalityBlocks: number | null
}

/**
 * - `idle`: nothing new
 * - `advanced`, `rolled_back`: something was written, go on at once
 * - `suspect`: the answers do not fit together, which a node that lags behind explains; ask again later
 * - `halted`: blocks that were final are gone; nothing is written until an operator acts
 */
export type StepOutcome = 'idle' | 'advanced' | 'rolled_back' | 'suspect' | 'halted'

export interface Step {
  outcome: StepOutcome
  head: number
  indexed: number
}

const rangeMax = 100
/** Logs written at once; a statement of the database holds two megabytes. */
const logsMax = 1_500
/** Answers without our tip in a row before it counts as removed. */
const vanishedMax = 5

/** Reads one range of blocks, or rolls back to the fork point of a reorganisation. Nothing is believed that was read only once. */
export class IndexerStepper {
  readonly #chain: IndexerChain
  readonly #store: IndexStore
  readonly #settings: IndexerSettings
  /** Of each topic, computed once. */
  readonly #bits: ReadonlyMap<string, readonly number[]>
  #vanished = 0
  #range = rangeMax

  constructor(chain: IndexerChain, store: IndexStore, settings: IndexerSettings) {
    this.#chain = chain
    this.#store = store
    this.#settings = settings
    this.#bits = new Map(settings.topics.map((topic) => [topic, bloomBits(topic)]))
  }

  async step(): Promise<Step> {
    const tip = (await this.#store.cursor()) ?? (await this.#begin())
    if (tip === null) return { outcome: 'suspect', head: 0, indexed: 0 }
    const [latest, own] = await this.#chain.headers(['latest', tip.number])
    const head = latest?.number ?? 0
    const report = (outcome: StepOutcome, indexed = tip.number): Step => ({ outcome, head, indexed })
    if (!latest) return report('suspect')
    if (own?.hash !== tip.hash) return this.#reorganise(tip, own ?? null, report)
    this.#vanished = 0

    const final = await this.#final(tip, latest)
    if (latest.number <= tip.number) {
      if (final.number <= tip.final.number) return report('idle')
      await this.#store.finalize(tip, final)
      return report('idle')
    }
    const to = Math.min(latest.number, tip.number + this.#range)
    const read = await this.#readRange(tip, to)
    if (read === null) return report('suspect')
    const last = read.headers.at(-1) as Header
    // While catching up, everything up to `to` may be older than the final block.
    const finalHere = final.number > last.number ? last : final
    const written = await this.#store.append(tip, read.headers, read.logs, finalHere)
    return report(written === 'done' ? 'advanced' : 'suspect', last.number)
  }

  /** From here on every block is linked to this one, so no other chain's can follow. */
  async #begin(): Promise<Cursor | null> {
    if ((await this.#chain.chainId()) !== this.#settings.chainId) return null
    const [start] = await this.#chain.headers([this.#settings.startBlock])
    if (!start) return null
    await this.#store.begin(start)
    return this.#store.cursor()
  }

  /** Never lower than what was final before. */
  async #final(tip: Cursor, latest: Header): Promise<BlockRef> {
    const { finalityBlocks, startBlock } = this.#settings
    let final: Header | null
    if (finalityBlocks === null) final = await this.#chain.finalized()
    else [final = null] = await this.#chain.headers([Math.max(startBlock, latest.number - finalityBlocks)])
    return final !== null && final.number > tip.final.number ? final : tip.final
  }

  /** The blocks after `tip` with their logs, or null when the answers contradict one another. */
  async #readRange(tip: BlockRef, to: number): Promise<{ headers: Header[]; logs: Log[] } | null> {
    const numbers = Array.from({ length: to - tip.number }, (_, index) => tip.number + 1 + index)
    const headers = (await this.#chain.headers(numbers)).filter((header) => header !== null)
    if (headers.length !== numbers.length) return null
    let parent = tip.hash
    for (const header of headers) {
      if (header.parentHash !== parent) return null
      parent = header.hash
    }
    const logs = await this.#readLogs(tip.number + 1, to)
    const byNumber = new Map(headers.map((header) => [header.number, header]))
    for (const log of logs) {
      const header = byNumber.get(log.blockNumber)
      const bits = this.#bits.get(log.topics[0] ?? '')
      if (header?.hash !== log.blockHash || !bits || !bloomMayContain(header.logsBloom, bits)) return null
    }
    const withLogs = new Set(logs.map((log) => log.blockHash))
    const doubtful = headers.filter((header) => !withLogs.has(header.hash) && this.#bloomNamesTopic(header))
    if (doubtful.length > 0)
      for (const log of await this.#chain.logsOfBlocks(doubtful.map(({ hash }) => hash))) logs.push(log)
    const [endAgain] = await this.#chain.headers([to])
    if (endAgain?.hash !== parent) return null
    logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    return firstBlocks(headers, logs)
  }

  /** Nodes refuse ranges with too many logs, each in its own words, so any refusal halves the next range; it grows again slowly. */
  async #readLogs(from: number, to: number): Promise<Log[]> {
    try {
      const logs = await this.#chain.logs(from, to)
      this.#range = Math.min(rangeMax, this.#range + 5)
      return logs
    } catch (error) {
      this.#range = Math.max(1, Math.floor((to - from + 1) / 2))
      throw error
    }
  }

  /**
   * Some nodes answer a range without logs before they have indexed it themselves. Only topics are looked for: a vault may
   * be opened in the same range as it is funded, so nobody knows the addresses beforehand.
   */
  #bloomNamesTopic({ logsBloom }: Header): boolean {
    return [...this.#bits.values()].some((bits) => bloomMayContain(logsBloom, bits))
  }

  /** Our tip is not the chain's block of that number. */
  async #reorganise(tip: Cursor, own: Header | null, report: (outcome: StepOutcome) => Step): Promise<Step> {
    if (own === null) {
      this.#vanished += 1
      if (this.#vanished < vanishedMax) return report('suspect')
    }
    const known = await this.#store.recentBlocks()
    const present = await this.#chain.headers(known.map(({ number }) => number))
    const shared = known.find(({ hash }, index) => present[index]?.hash === hash)
    if (shared && shared.number >= tip.final.number) return this.#rollback(tip, shared, report)

    // Deeper than the known blocks: what is final stays, everything since is read again.
    const [checkpoint] = await this.#chain.headers([tip.final.number])
    if (checkpoint?.hash !== tip.final.hash) return report('halted')
    return this.#rollback(tip, tip.final, report)
  }

  async #rollback(tip: Cursor, to: BlockRef, report: (outcome: StepOutcome) => Step): Promise<Step> {
    this.#vanished = 0
    console.warn(`reorganisation: ${tip.number} ${tip.hash} -> ${to.number} ${to.hash}`)
    const written = await this.#store.rollback(tip, to)
    return { ...report(written === 'done' ? 'rolled_back' : 'suspect'), indexed: to.number }
  }
}

/** As many whole blocks as have {@link logsMax} logs together, and one at least. */
function firstBlocks(headers: Header[], logs: Log[]): { headers: Header[]; logs: Log[] } {
  if (logs.length <= logsMax) return { headers, logs }
  const [first] = headers as [Header]
  const last = Math.max(first.number, (logs[logsMax] as Log).blockNumber - 1)
  return {
    headers: headers.filter(({ number }) => number <= last),
    logs: logs.filter(({ blockNumber }) => blockNumber <= last),
  }
}
