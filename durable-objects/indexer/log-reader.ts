import { RpcAnswerTooLarge, RpcError, RpcUnreachable } from '../chain/json-rpc.ts'
import { type BitsOf, bitsOf, bloomMayContain, bloomNames, chanceOfNaming } from './bloom.ts'
import type { Header, IndexerChain, Log } from './chain.ts'

export interface LogFilter {
  /** The contracts that emit events, vaults besides, by their names. */
  contracts: Readonly<Record<string, string>>
  topics: readonly string[]
  /** The address of the vault that this log of a contract says was opened, or null. */
  openedVault: (log: Log) => string | null
}

export interface BlocksWithLogs {
  headers: Header[]
  logs: Log[]
}

export interface RangeOfLogs {
  to: number
  logs: Log[]
}

/** Blocks by their numbers; one also by its hash, under which no other block answers. */
interface Span {
  from: number
  to: number
  hash?: string
}

/** Logs written at once; a statement of the database holds two megabytes. */
const logsMax = 1_500
/** Logs held at once, unless one block has more. */
const heldLogsMax = 10_000
/** Addresses in one question; nodes take a thousand. */
const addressesMax = 500
/** A bloom filter that names us this often in blocks without logs of ours says nothing. */
const chanceMax = 0.5
/** Blocks remembered as blocks whose logs come from receipts. */
const distrustedMax = 1_000

/**
 * Asks for the logs of our contracts and vaults alone: anyone can fill blocks with logs that have our topics. Before a node has indexed a
 * block, it may answer with none of its logs or with a part; receipts come with their block.
 */
export class LogReader {
  readonly #chain: IndexerChain
  readonly #openedVault: LogFilter['openedVault']
  readonly #topics: BitsOf
  readonly #contracts: BitsOf
  /** Hashes of blocks of which a node gave different logs at different times. */
  readonly #distrusted = new Set<string>()

  constructor(chain: IndexerChain, { contracts, topics, openedVault }: LogFilter) {
    this.#chain = chain
    this.#openedVault = openedVault
    this.#topics = bitsOf(topics)
    this.#contracts = bitsOf(Object.values(contracts))
  }

  opened(logs: readonly Log[]): string[] {
    return logs.flatMap((log) => this.#openedVault(log) ?? [])
  }

  /** From now on, the logs of this block are taken from its receipts. */
  distrust(blockHash: string): void {
    if (this.#distrusted.size >= distrustedMax) this.#distrusted.clear()
    this.#distrusted.add(blockHash)
  }

  /** Whether each log is of the block of its number, whose bloom filter has its topic. */
  areOf(headers: readonly Header[], logs: readonly Log[]): boolean {
    const byNumber = new Map(headers.map((header) => [header.number, header]))
    return logs.every((log) => {
      const header = byNumber.get(log.blockNumber)
      const bits = this.#topics.get(log.topics[0] ?? '')
      return header?.hash === log.blockHash && bits !== undefined && bloomMayContain(header.logsBloom, bits)
    })
  }

  /** The first of these linked blocks with their logs: all, or as many as the node gives the logs of. */
  async ofBlocks(headers: readonly Header[], vaults: BitsOf): Promise<BlocksWithLogs> {
    for (let blocks = [...headers]; ; blocks = blocks.slice(0, blocks.length >> 1)) {
      try {
        return { headers: blocks, logs: await this.#confirmed(blocks, vaults) }
      } catch (error) {
        if (!isTooMuch(error)) throw error
        const [block] = blocks as [Header]
        if (blocks.length === 1) return { headers: blocks, logs: await this.ofReceipts(block, vaults) }
      }
    }
  }

  /** The logs of blocks whose headers are not read, up to `to` or an earlier block: as many as the node gives at once. */
  async ofRange(from: number, to: number, vaults: BitsOf): Promise<RangeOfLogs> {
    for (let end = to; ; end = from + ((end - from) >> 1)) {
      try {
        const addresses = [...this.#contracts.keys(), ...vaults.keys()]
        return { to: end, logs: await this.#ask({ from, to: end }, addresses, vaults) }
      } catch (error) {
        if (!isTooMuch(error)) throw error
        if (end > from) continue
        const [block] = await this.#chain.headers([from])
        if (!block) throw new RpcUnreachable('the node does not have a block that it has a later one of')
        return { to: end, logs: await this.ofReceipts(block, vaults) }
      }
    }
  }

  /** The logs of one block as its receipts have them; none are asked for where the bloom filter denies any. */
  async ofReceipts(block: Header, vaults: BitsOf): Promise<Log[]> {
    if (!this.#isNamed(block, vaults)) return []
    const ours = new Set([...this.#contracts.keys(), ...vaults.keys()])
    return this.#chain.logsOfReceipts(block.hash, (log) => {
      if (!ours.has(log.address)) return false
      for (const vault of this.opened([log])) ours.add(vault)
      return true
    })
  }

  /** The logs of blocks, from the receipts of those whose bloom filter names us while no log of them came. */
  async #confirmed(blocks: readonly Header[], vaults: BitsOf): Promise<Log[]> {
    if (!this.areNamed(blocks, vaults)) return []
    const [first, last] = [blocks[0], blocks.at(-1)] as [Header, Header]
    const span = { from: first.number, to: last.number, ...(first === last && { hash: first.hash }) }
    const contracts = [...this.#contracts.keys()]
    const asked = await this.#ask(span, [...contracts, ...namedIn(blocks, vaults)], vaults)
    const logs = asked.filter(({ blockHash }) => !this.#distrusted.has(blockHash))
    const withLogs = new Set(logs.map(({ blockHash }) => blockHash))
    const known = new Map([...vaults, ...bitsOf(this.opened(asked))])
    const doubtful = blocks.filter((block) => !withLogs.has(block.hash) && this.#isNamed(block, known))
    const isTold = (block: Header) => this.#distrusted.has(block.hash) || this.#tells(block, known.size)
    for (const block of doubtful.filter(isTold))
      for (const log of await this.#ofDoubtful(block, known)) logs.push(log)
    // For a single block, the second question would be the same as the first.
    const unsure = first === last ? [] : doubtful.filter((block) => !isTold(block))
    for (const log of await this.#askAgain(unsure, known)) logs.push(log)
    const late = this.opened(logs).filter((vault) => !known.has(vault))
    if (late.length === 0) return logs
    const have = new Set(logs.map(logKey))
    const ofLate = await this.#ask(span, late, known)
    return [...logs, ...ofLate.filter((log) => !have.has(logKey(log)))]
  }

  /** A node without receipts is asked for the logs again: they are compared once more before the block is final. */
  async #ofDoubtful(block: Header, vaults: BitsOf): Promise<Log[]> {
    try {
      return await this.ofReceipts(block, vaults)
    } catch (error) {
      const isAnswer = error instanceof RpcError || error instanceof RpcUnreachable
      if (!isAnswer || this.#distrusted.has(block.hash)) throw error
      return this.#askAgain([block], vaults)
    }
  }

  async #askAgain(blocks: readonly Header[], vaults: BitsOf): Promise<Log[]> {
    if (blocks.length === 0) return []
    const hashes = blocks.map(({ hash }) => hash)
    const parts: Log[][] = []
    for (const part of inParts([...this.#contracts.keys(), ...namedIn(blocks, vaults)]))
      parts.push(await this.#chain.logsOfBlocks(hashes, part))
    return parts.flat()
  }

  async #ask({ from, to, hash }: Span, addresses: readonly string[], vaults: BitsOf): Promise<Log[]> {
    const logs: Log[] = []
    const logsOf = (part: readonly string[]) =>
      hash === undefined ? this.#chain.logs(from, to, part) : this.#chain.logsOfBlocks([hash], part)
    const ask = async (some: readonly string[]) => {
      for (const part of inParts(some)) for (const log of await logsOf(part)) logs.push(log)
      if (logs.length > heldLogsMax && to > from)
        throw new RpcAnswerTooLarge(`${to - from + 1} blocks have more than ${heldLogsMax} logs`)
    }
    await ask(addresses)
    // A vault may be funded in the block that opens it.
    await ask(this.opened(logs).filter((vault) => !vaults.has(vault)))
    return logs
  }

  /** Whether one of these blocks may have logs of ours, so that its logs are asked for. */
  areNamed(blocks: readonly Header[], vaults: BitsOf): boolean {
    return blocks.some((block) => this.#isNamed(block, vaults))
  }

  #isNamed({ logsBloom }: Header, vaults: BitsOf): boolean {
    return (
      bloomNames(logsBloom, this.#topics) &&
      (bloomNames(logsBloom, this.#contracts) || bloomNames(logsBloom, vaults))
    )
  }

  /** Whether it means something that the filter of this block names us. */
  #tells({ logsBloom }: Header, vaults: number): boolean {
    const addresses = chanceOfNaming(logsBloom, this.#contracts.size + vaults)
    return addresses * chanceOfNaming(logsBloom, this.#topics.size) <= chanceMax
  }
}

export const logKey = ({ blockHash, logIndex }: Pick<Log, 'blockHash' | 'logIndex'>): string =>
  `${blockHash} ${logIndex}`

/** As many whole blocks as have {@link logsMax} logs together, and one at least, in their order. */
export function firstLogs({ to, logs: read }: RangeOfLogs): RangeOfLogs {
  const logs = [...read].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  const [first, next] = [logs[0], logs[logsMax]]
  if (first === undefined || next === undefined) return { to, logs }
  const last = Math.max(first.blockNumber, next.blockNumber - 1)
  return { to: last, logs: logs.filter(({ blockNumber }) => blockNumber <= last) }
}

/** Nodes refuse what is too much for them each in its own words. */
const isTooMuch = (error: unknown): boolean => error instanceof RpcError || error instanceof RpcAnswerTooLarge

/** The addresses among these that may have emitted a log in one of the blocks. */
const namedIn = (blocks: readonly Header[], addresses: BitsOf): string[] =>
  [...addresses].flatMap(([address, bits]) =>
    blocks.some(({ logsBloom }) => bloomMayContain(logsBloom, bits)) ? [address] : [],
  )

const inParts = (addresses: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(addresses.length / addressesMax) }, (_, part) =>
    addresses.slice(part * addressesMax, (part + 1) * addressesMax),
  )
