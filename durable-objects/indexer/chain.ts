import {
  type JsonRpc,
  quantity,
  RpcAnswerTooLarge,
  type RpcCall,
  RpcError,
  RpcUnreachable,
  readList,
  readObject,
  readQuantity,
} from '../chain/json-rpc.ts'

export interface Header {
  number: number
  hash: string
  parentHash: string
  timestamp: number
  logsBloom: string
}

export interface Log {
  blockNumber: number
  blockHash: string
  logIndex: number
  transactionHash: string
  address: string
  topics: string[]
  data: string
}

/** Every question an indexer asks the chain. All throw {@link RpcUnreachable} or {@link RpcError}. */
export class IndexerChain {
  readonly #rpc: JsonRpc
  readonly #topics: readonly string[]
  constructor(rpc: JsonRpc, topics: readonly string[]) {
    this.#rpc = rpc
    this.#topics = topics
  }

  async chainId(): Promise<number> {
    return Number(readQuantity(await this.#rpc.call('eth_chainId')))
  }

  /** The blocks of these numbers or tags; null where the chain has none. */
  async headers(blocks: readonly (number | 'latest')[]): Promise<(Header | null)[]> {
    const found = await this.#rpc.all(blocks.map((block) => headerCall(block)))
    return found.map(headerOf)
  }

  /** The last block no reorganisation removes, or null when this chain does not say. */
  async finalized(): Promise<Header | null> {
    const [outcome] = await this.#rpc.batch([['eth_getBlockByNumber', 'finalized', false]])
    return outcome?.ok ? headerOf(outcome.result) : null
  }

  /** Why the nodes that are asked cannot all be of this chain, or null. */
  conflict(): string | null {
    return this.#rpc.conflict
  }

  /** The logs of these addresses with a topic of ours. */
  async logs(from: number, to: number, addresses: readonly string[]): Promise<Log[]> {
    const range = { fromBlock: quantity(from), toBlock: quantity(to), ...this.#filter(addresses) }
    return readList(await this.#rpc.call('eth_getLogs', range)).map(logOf)
  }

  async logsOfBlocks(hashes: readonly string[], addresses: readonly string[]): Promise<Log[]> {
    const filter = this.#filter(addresses)
    const found = await this.#rpc.all(hashes.map((blockHash) => ['eth_getLogs', { blockHash, ...filter }]))
    return found.flatMap(readList).map(logOf)
  }

  /** The wanted logs of a block, in their order, from the receipts of its transactions: for nodes that do not give its logs. */
  async logsOfReceipts(blockHash: string, isWanted: (log: Log) => boolean): Promise<Log[]> {
    const block = readObject(await this.#rpc.call('eth_getBlockByHash', blockHash, false))
    const transactions = readList(block.transactions) as string[]
    const wanted: Log[] = []
    const take = (receipts: readonly unknown[]) => {
      for (const receipt of receipts) {
        const { blockHash: found, logs } = readObject(receipt)
        if (found !== blockHash) throw new RpcUnreachable('the receipts are of another block')
        for (const log of readList(logs).map(logOf))
          if (this.#topics.includes(log.topics[0] ?? '') && isWanted(log)) wanted.push(log)
      }
    }
    const all = await this.#receiptsOfBlock(blockHash)
    if (all?.length === transactions.length) take(all)
    else
      for (let start = 0; start < transactions.length; start += receiptsMax)
        take(await this.#receipts(transactions.slice(start, start + receiptsMax)))
    return wanted
  }

  /** Null from a node that does not give all receipts of a block at once. */
  async #receiptsOfBlock(blockHash: string): Promise<unknown[] | null> {
    try {
      return readList(await this.#rpc.call('eth_getBlockReceipts', blockHash))
    } catch (error) {
      if (error instanceof RpcError || error instanceof RpcAnswerTooLarge) return null
      throw error
    }
  }

  /** Fewer at once where a transaction has very many logs. */
  async #receipts(hashes: readonly string[]): Promise<unknown[]> {
    try {
      return await this.#rpc.all(hashes.map((hash) => ['eth_getTransactionReceipt', hash]))
    } catch (error) {
      if (!(error instanceof RpcAnswerTooLarge) || hashes.length === 1) throw error
      const half = hashes.length >> 1
      return [...(await this.#receipts(hashes.slice(0, half))), ...(await this.#receipts(hashes.slice(half)))]
    }
  }

  #filter(addresses: readonly string[]) {
    return { address: addresses, topics: [this.#topics] }
  }
}

/** Receipts asked for at once. */
const receiptsMax = 10

const headerCall = (block: number | 'latest'): RpcCall => [
  'eth_getBlockByNumber',
  typeof block === 'number' ? quantity(block) : block,
  false,
]

function headerOf(answer: unknown): Header | null {
  if (answer === null) return null
  const { number, hash, parentHash, timestamp, logsBloom } = readObject(answer) as Record<
    keyof Header,
    string
  >
  return {
    number: Number(readQuantity(number)),
    hash,
    parentHash,
    timestamp: Number(readQuantity(timestamp)),
    logsBloom,
  }
}

function logOf(answer: unknown): Log {
  const log = readObject(answer) as Record<keyof Log, string> & { topics: string[] }
  return {
    blockNumber: Number(readQuantity(log.blockNumber)),
    blockHash: log.blockHash,
    logIndex: Number(readQuantity(log.logIndex)),
    transactionHash: log.transactionHash,
    address: log.address.toLowerCase(),
    topics: log.topics,
    data: log.data,
  }
}
