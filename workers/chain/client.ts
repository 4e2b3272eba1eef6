import type { Hex } from 'viem'
import {
  JsonRpc,
  quantity,
  type RpcCall,
  RpcError,
  type RpcOutcome,
  RpcUnreachable,
  readObject,
  readQuantity,
} from '../../durable-objects/chain/json-rpc.ts'
import { isRevert } from '../../durable-objects/relayer/revert-reason.ts'
import type { Block } from '../../protocol/committees/index.ts'

export interface ChainClient {
  /** The outcome of each call, in order, of one node. */
  batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]>
  holdsCode(address: string): Promise<boolean>
  /** The return data of a read-only call, or null when it reverts. */
  call(to: string, data: Hex, gas: number): Promise<Hex | null>
  /** The logs of a contract in the latest `blocks` blocks, oldest first. */
  recentLogs(address: string, topics: readonly unknown[], blocks: number): Promise<RecentLogs>
  transactionInputs(hashes: readonly string[]): Promise<(string | null)[]>
  blocks(numbers: readonly number[]): Promise<(Block | null)[]>
  latestBlock(): Promise<Block>
  /** Blocks from that of each transaction to the latest; 0 while no block has it or it reverted, null when the node does not say. */
  confirmations(hashes: readonly string[]): Promise<(number | null)[]>
  blockOf(hash: string): Promise<number | null>
  /** The balances of an account, as of one block or the one after it; null for a token that does not answer. */
  holdings(account: string, tokens: readonly string[]): Promise<Holdings>
}

export interface Holdings {
  block: number
  native: bigint
  tokens: (bigint | null)[]
}

export interface RecentLogs {
  head: number
  logs: { transactionHash: string; blockNumber: number; data: string; topics: string[] }[]
}

export interface ChainAccess {
  rpcUrl: string
  /** A node that has not answered by then counts as one that does not. */
  timeoutMs: number
  /** Compares the nodes before each question, for what a lagging one must not answer. Left out, the first that answers is asked. */
  chainId?: number
  /** Sends a request again after a while that a rate limit refused, where nobody waits for the answer. */
  isPatient?: boolean
}

/** Every method throws when the chain cannot be reached in time. */
export function createChainClient({ rpcUrl, timeoutMs, chainId, ...options }: ChainAccess): ChainClient {
  // One for every question: requests that wait for one another would belong to different callers.
  const rpc = () => new JsonRpc(rpcUrl, timeoutMs, chainId, options)
  return {
    async batch(calls) {
      return rpc().batch(calls)
    },
    async holdsCode(address) {
      return (await rpc().call<string>('eth_getCode', address, 'latest')) !== '0x'
    },
    async call(to, data, gas) {
      try {
        return await rpc().call<Hex>('eth_call', { to, data, gas: quantity(gas) }, 'latest')
      } catch (error) {
        if (error instanceof RpcError && isRevert(error)) return null
        throw error
      }
    },
    async recentLogs(address, topics, blocks) {
      const node = rpc()
      const head = Number(readQuantity(await node.call('eth_blockNumber')))
      const calls: RpcCall[] = []
      for (let from = Math.max(0, head - blocks + 1); from <= head; from += logBlocks) {
        const toBlock = quantity(Math.min(head, from + logBlocks - 1))
        calls.push(['eth_getLogs', { address, topics, fromBlock: quantity(from), toBlock }])
      }
      const found = ((await node.all(calls)) as RecentLogs['logs'][]).flat()
      const logs = found.map((log) => ({ ...log, blockNumber: Number(readQuantity(log.blockNumber)) }))
      return { head, logs }
    },
    async transactionInputs(hashes) {
      const found = await rpc().all(hashes.map((hash) => ['eth_getTransactionByHash', hash]))
      return (found as ({ input: string } | null)[]).map((transaction) => transaction?.input ?? null)
    },
    async blocks(numbers) {
      const calls = numbers.map((number) => ['eth_getBlockByNumber', quantity(number), false] as const)
      return (await rpc().all(calls)).map(blockOf)
    },
    async latestBlock() {
      const latest = blockOf(await rpc().call('eth_getBlockByNumber', 'latest', false))
      if (latest === null) throw new RpcUnreachable('the node has no block')
      return latest
    },
    async confirmations(hashes) {
      const node = rpc()
      const head = readQuantity(await node.call('eth_blockNumber'))
      const receipts = await node.batch(hashes.map((hash) => ['eth_getTransactionReceipt', hash]))
      return receipts.map((receipt) => (receipt.ok ? confirmationsOf(receipt.result, head) : null))
    },
    async blockOf(hash) {
      const receipt = await rpc().call('eth_getTransactionReceipt', hash)
      return receipt === null ? null : Number(readQuantity(readObject(receipt).blockNumber))
    },
    async holdings(account, tokens) {
      const data = `0x70a08231${account.slice(2).padStart(64, '0')}`
      const [block, native, ...held] = await rpc().batch([
        ['eth_blockNumber'],
        ['eth_getBalance', account, 'latest'],
        ...tokens.map((to) => ['eth_call', { to, data, gas: quantity(balanceGas) }, 'latest'] as const),
      ])
      if (!block?.ok || !native?.ok) throw new RpcUnreachable('the node says no balance')
      return {
        block: Number(readQuantity(block.result)),
        native: readQuantity(native.result),
        tokens: held.map((one) => (one.ok && isWord(one.result) ? BigInt(one.result) : null)),
      }
    },
  }
}

/** No profile of a chain has fewer blocks whose logs are asked for at once. */
const logBlocks = 500

/** A token is a contract of anybody's. */
const balanceGas = 100_000

const isWord = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)

function confirmationsOf(receipt: unknown, head: bigint): number {
  if (receipt === null) return 0
  const { blockNumber, status } = readObject(receipt)
  return readQuantity(status) === 1n ? Math.max(0, Number(head - readQuantity(blockNumber)) + 1) : 0
}

function blockOf(answer: unknown): Block | null {
  if (answer === null) return null
  const { number, hash, timestamp } = readObject(answer)
  return {
    number: Number(readQuantity(number)),
    hash: String(hash),
    timestamp: Number(readQuantity(timestamp)),
  }
}
