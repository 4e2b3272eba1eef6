import { type JsonRpc, quantity, type RpcCall, readObject, readQuantity } from '../chain/json-rpc.ts'

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

  async logs(from: number, to: number): Promise<Log[]> {
    const range = { fromBlock: quantity(from), toBlock: quantity(to), topics: [this.#topics] }
    return (await this.#rpc.call<unknown[]>('eth_getLogs', range)).map(logOf)
  }

  async logsOfBlocks(hashes: readonly string[]): Promise<Log[]> {
    const found = await this.#rpc.all(
      hashes.map((blockHash) => ['eth_getLogs', { blockHash, topics: [this.#topics] }]),
    )
    return (found as unknown[][]).flat().map(logOf)
  }
}

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
