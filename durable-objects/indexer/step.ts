import { RpcAnswerTooLarge, RpcError } from '../chain/json-rpc.ts'
import { bloomBits, bloomMayContain } from './bloom.ts'
import type { Header, IndexerChain, Log } from './chain.ts'

export interface BlockRef {
  number: number
  hash: string
}

export interface Cursor extends BlockRef {
  /** The last block that no reorganisation removes. */
  final: BlockRef
  /** What the index was begun with. */
  network: IndexedNetwork
  /** Whether far more was to be read, as while the chain is read from its beginning. An index is always some blocks late. */
  isBehind: boolean
}

/** What makes an index one of this network: with anything else another index would come out. */
export type IndexedNetwork = Readonly<Record<string, string | number>>

/** Where an indexer keeps what it read. Every write changes nothing and answers `moved` unless `tip` is still the tip. */
export interface IndexStore {
  cursor(): Promise<Cursor | null>
  begin(at: BlockRef, network: IndexedNetwork): Promise<void>
  /** Known blocks below the tip, highest first. */
  recentBlocks(): Promise<BlockRef[]>
  /** The addresses of all vaults. */
  vaults(): Promise<string[]>
  append(
    tip: Cursor,
    headers: readonly Header[],
    logs: readonly Log[],
    final: BlockRef,
    isBehind: boolean,
  ): Promise<StoreOutcome>
  /** The tip is the newest block. */
  finalize(tip: Cursor, final: BlockRef): Promise<StoreOutcome>
  rollback(tip: Cursor, to: BlockRef): Promise<StoreOutcome>
}

export type StoreOutcome = 'done' | 'moved'

export interface IndexerSettings {
  chainId: number
  /** Read from the block after this one. */
  startBlock: number
  /** The contracts that emit events, vaults besides, by their names. */
  contracts: Readonly<Record<string, string>>
  topics: readonly string[]
  /** The address of the vault that this log of a contract says was opened, or null. */
  openedVault: (log: Log) => string | null
  /** Depth at which a block is final, for chains that do not say; null asks the chain. */
  finalityBlocks: number | null
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
/** Logs written at once; a statement of the database holds two megabytes. */
const logsMax = 1_500
/** Logs held at once, unless one block has more. */
const heldLogsMax = 10_000
/** Addresses in one question; nodes take a thousand. */
const addressesMax = 500
/** Blocks that an index may be late by and is not behind. */
const lagMax = 50
/** Answers without our tip in a row before it counts as removed. */
const vanishedMax = 5

const readAnew = 'have the chain read anew: npm run -s operator -- reindex'

/** Reads one range of blocks, or rolls back to the fork point of a reorganisation. Nothing is believed that was read only once. */
export class IndexerStepper {
  readonly #chain: IndexerChain
  readonly #store: IndexStore
  readonly #settings: IndexerSettings
  readonly #network: IndexedNetwork
  /** The bits of each topic and of each contract, computed once. */
  readonly #topicBits: BitsOf
  readonly #contractBits: BitsOf
  #vaults: { tip: string; bits: BitsOf } | null = null
  #vanished = 0
  #range = rangeMax
  #head: number | null = null

  constructor(chain: IndexerChain, store: IndexStore, settings: IndexerSettings) {
    this.#chain = chain
    this.#store = store
    this.#settings = settings
    const { chainId, startBlock, contracts } = settings
    this.#network = { chain_id: chainId, start_block: startBlock, ...contracts }
    this.#topicBits = bitsOf(settings.topics)
    this.#contractBits = bitsOf(Object.values(contracts))
  }

  /** The number of the latest block when the chain was asked last; null before it answered. */
  get head(): number | null {
    return this.#head
  }

  async step(): Promise<Step> {
    const tip = (await this.#store.cursor()) ?? (await this.#begin())
    if (tip === null) return { outcome: 'suspect', indexed: null, halted: null }
    const [latest, own] = await this.#chain.headers(['latest', tip.number])
    this.#head = latest?.number ?? this.#head
    const report = (outcome: StepOutcome, indexed = tip.number): Step => ({ outcome, indexed, halted: null })
    const halted = this.#otherNetwork(tip) ?? this.#chain.conflict()
    if (halted !== null) return { ...report('halted'), halted }
    if (!latest) return report('suspect')
    if (own?.hash !== tip.hash) return this.#reorganise(tip, own ?? null, report)
    this.#vanished = 0

    const final = await this.#final(tip, latest)
    if (latest.number <= tip.number) {
      if (final.number <= tip.final.number && !tip.isBehind) return report('idle')
      await this.#store.finalize(tip, final)
      return report('idle')
    }
    const to = Math.min(latest.number, tip.number + this.#range)
    const read = await this.#readRange(tip, to)
    if (read === null) return report('suspect')
    const last = read.headers.at(-1) as Header
    // While catching up, everything up to `to` may be older than the final block.
    const finalHere = final.number > last.number ? last : final
    const isBehind = latest.number - last.number > lagMax
    const written = await this.#store.append(tip, read.headers, read.logs, finalHere, isBehind)
    if (written === 'moved') return report('suspect')
    this.#rememberVaults(read.logs, last.hash)
    return report('advanced', last.number)
  }

  /** From here on every block is linked to this one, so no other chain's can follow. */
  async #begin(): Promise<Cursor | null> {
    if ((await this.#chain.chainId()) !== this.#settings.chainId) return null
    const [start] = await this.#chain.headers([this.#settings.startBlock])
    if (!start) return null
    await this.#store.begin(start, this.#network)
    return this.#store.cursor()
  }

  /** Why what is indexed is not of this network, or null when it is. */
  #otherNetwork({ network }: Cursor): string | null {
    const names = [...new Set([...Object.keys(network), ...Object.keys(this.#network)])].sort()
    const changed = names.filter((name) => network[name] !== this.#network[name])
    if (changed.length === 0) return null
    const list = changed
      .map((name) => `${name} was ${network[name]}, and is ${this.#network[name]}`)
      .join('; ')
    return `The index was begun with other settings: ${list}. Restore PROFILE, CHAIN_CONTRACTS and CHAIN_START_BLOCK, or ${readAnew}`
  }

  /** Never lower than what was final before. */
  async #final(tip: Cursor, latest: Header): Promise<BlockRef> {
    const { finalityBlocks, startBlock } = this.#settings
    let final: Header | null
    if (finalityBlocks === null) final = await this.#chain.finalized()
    else [final = null] = await this.#chain.headers([Math.max(startBlock, latest.number - finalityBlocks)])
    return final !== null && final.number > tip.final.number ? final : tip.final
  }

  /**
   * The blocks after `tip` with their logs, or null when the answers contradict one another. Nodes refuse what is too much
   * for them, each in its own words, so whatever goes wrong makes the next range smaller; it grows again slowly.
   */
  async #readRange(tip: BlockRef, to: number): Promise<BlocksWithLogs | null> {
    try {
      const read = await this.#readLinked(tip, to)
      this.#range = Math.min(rangeMax, this.#range + 5)
      return read
    } catch (error) {
      this.#range = Math.max(1, Math.floor(Math.min(this.#range, to - tip.number) / 2))
      throw error
    }
  }

  async #readLinked(tip: BlockRef, to: number): Promise<BlocksWithLogs | null> {
    const numbers = Array.from({ length: to - tip.number }, (_, index) => tip.number + 1 + index)
    const found = (await this.#chain.headers(numbers)).filter((header) => header !== null)
    if (found.length !== numbers.length) return null
    let parent = tip.hash
    for (const header of found) {
      if (header.parentHash !== parent) return null
      parent = header.hash
    }
    const { headers, logs } = await this.#readLogs(found, await this.#knownVaults(tip))
    const byNumber = new Map(headers.map((header) => [header.number, header]))
    for (const log of logs) {
      const header = byNumber.get(log.blockNumber)
      const bits = this.#topicBits.get(log.topics[0] ?? '')
      if (header?.hash !== log.blockHash || !bits || !bloomMayContain(header.logsBloom, bits)) return null
    }
    const last = headers.at(-1) as Header
    const [endAgain] = await this.#chain.headers([last.number])
    if (endAgain?.hash !== last.hash) return null
    logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    return firstBlocks(headers, logs)
  }

  /** The first of these blocks with their logs: all, or as many as the node gives the logs of. */
  async #readLogs(headers: Header[], vaults: BitsOf): Promise<BlocksWithLogs> {
    for (let blocks = headers; ; blocks = blocks.slice(0, blocks.length >> 1)) {
      try {
        return { headers: blocks, logs: await this.#askForLogs(blocks, vaults) }
      } catch (error) {
        const [block] = blocks as [Header]
        if (blocks.length === 1) return { headers: blocks, logs: await this.#readReceipts(block, vaults) }
        if (!(error instanceof RpcError || error instanceof RpcAnswerTooLarge)) throw error
        this.#range = blocks.length >> 1
      }
    }
  }

  /** Only what our contracts and vaults emit is asked for: anyone can fill blocks with logs that have our topics. */
  async #askForLogs(blocks: readonly Header[], vaults: BitsOf): Promise<Log[]> {
    const logs: Log[] = []
    const ask = async (addresses: readonly string[]) => {
      for (const some of inParts(addresses))
        for (const log of await this.#logsOf(blocks, some)) logs.push(log)
      if (logs.length > heldLogsMax && blocks.length > 1)
        throw new RpcAnswerTooLarge(`${blocks.length} blocks have more than ${heldLogsMax} logs`)
    }
    const contracts = [...this.#contractBits.keys()]
    await ask([...contracts, ...namedIn(blocks, vaults)])
    // A vault may be funded in the block that opens it.
    await ask(this.#opened(logs).filter((vault) => !vaults.has(vault)))
    return logs
  }

  /**
   * Some nodes answer a range without logs before they have indexed it themselves, so a block whose bloom filter names one
   * of the addresses is asked for once more, alone.
   */
  async #logsOf(blocks: readonly Header[], addresses: readonly string[]): Promise<Log[]> {
    const [first, last] = [blocks[0], blocks.at(-1)] as [Header, Header]
    const logs = await this.#chain.logs(first.number, last.number, addresses)
    const withLogs = new Set(logs.map((log) => log.blockHash))
    const bits = bitsOf(addresses)
    const doubtful = blocks.filter(
      (header) => !withLogs.has(header.hash) && names(header, bits) && names(header, this.#topicBits),
    )
    if (doubtful.length === 0) return logs
    return [
      ...logs,
      ...(await this.#chain.logsOfBlocks(
        doubtful.map(({ hash }) => hash),
        addresses,
      )),
    ]
  }

  async #readReceipts(block: Header, vaults: BitsOf): Promise<Log[]> {
    const isNamed = names(block, this.#contractBits) || names(block, vaults)
    if (!isNamed || !names(block, this.#topicBits)) return []
    const ours = new Set([...this.#contractBits.keys(), ...vaults.keys()])
    return this.#chain.logsOfReceipts(block.hash, (log) => {
      if (!ours.has(log.address)) return false
      for (const vault of this.#opened([log])) ours.add(vault)
      return true
    })
  }

  /** The vaults as of the tip, read again whenever somebody else moved it. */
  async #knownVaults(tip: BlockRef): Promise<BitsOf> {
    if (this.#vaults?.tip !== tip.hash)
      this.#vaults = { tip: tip.hash, bits: bitsOf(await this.#store.vaults()) }
    return this.#vaults.bits
  }

  #rememberVaults(logs: readonly Log[], tip: string): void {
    if (this.#vaults === null) return
    this.#vaults = { tip, bits: new Map([...this.#vaults.bits, ...bitsOf(this.#opened(logs))]) }
  }

  #opened(logs: readonly Log[]): string[] {
    return logs.flatMap((log) => this.#settings.openedVault(log) ?? [])
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
    if (checkpoint?.hash !== tip.final.hash)
      return {
        ...report('halted'),
        halted: `Block ${tip.final.number} was final, and the chain has another one or none. Find out why; once the chain is right, ${readAnew}`,
      }
    return this.#rollback(tip, tip.final, report)
  }

  async #rollback(tip: Cursor, to: BlockRef, report: (outcome: StepOutcome) => Step): Promise<Step> {
    this.#vanished = 0
    console.warn(`reorganisation: ${tip.number} ${tip.hash} -> ${to.number} ${to.hash}`)
    const written = await this.#store.rollback(tip, to)
    return { ...report(written === 'done' ? 'rolled_back' : 'suspect'), indexed: to.number }
  }
}

type BitsOf = ReadonlyMap<string, readonly number[]>

interface BlocksWithLogs {
  headers: Header[]
  logs: Log[]
}

const bitsOf = (values: readonly string[]): BitsOf =>
  new Map(values.map((value) => [value, bloomBits(value)]))

/** Whether the block may have logs of, or with, one of these. */
const names = ({ logsBloom }: Header, bits: BitsOf): boolean =>
  [...bits.values()].some((one) => bloomMayContain(logsBloom, one))

/** Those of the addresses that may have emitted something in one of the blocks. */
const namedIn = (blocks: readonly Header[], addresses: BitsOf): string[] =>
  [...addresses].flatMap(([address, bits]) =>
    blocks.some(({ logsBloom }) => bloomMayContain(logsBloom, bits)) ? [address] : [],
  )

const inParts = (addresses: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(addresses.length / addressesMax) }, (_, part) =>
    addresses.slice(part * addressesMax, (part + 1) * addressesMax),
  )

/** As many whole blocks as have {@link logsMax} logs together, and one at least. */
function firstBlocks(headers: Header[], logs: Log[]): BlocksWithLogs {
  if (logs.length <= logsMax) return { headers, logs }
  const [first] = headers as [Header]
  const last = Math.max(first.number, (logs[logsMax] as Log).blockNumber - 1)
  return {
    headers: headers.filter(({ number }) => number <= last),
    logs: logs.filter(({ blockNumber }) => blockNumber <= last),
  }
}
