import type { Abi } from 'viem'
import {
  type JsonRpc,
  quantity,
  type RpcCall,
  RpcError,
  type RpcOutcome,
  RpcUnreachable,
  readObject,
  readQuantity,
} from '../chain/json-rpc.ts'
import type { FeeMarket } from './fees.ts'
import { estimatedMax, tooMuchGasText } from './gas-limit.ts'
import type { Attempt, Relay } from './ledger.ts'
import { isRevert, type RevertReason, readRevert } from './revert-reason.ts'

export interface ChainReading extends FeeMarket {
  head: number
  /** Transactions of the key in blocks, so also the first nonce no block has used. */
  count: number
  balanceWei: bigint
}

export interface Receipt {
  transactionHash: string
  blockNumber: number
  succeeded: boolean
}

const defaultTipWei = 10n ** 9n

type Call = Pick<Relay, 'to' | 'data' | 'valueWei'>

/** Every question a relayer asks the chain. All throw {@link RpcUnreachable} or {@link RpcError}. */
export class RelayerChain {
  readonly #rpc: JsonRpc
  readonly #signer: string
  readonly #chainId: number
  readonly #errors: Abi
  constructor(rpc: JsonRpc, signer: string, chainId: number, errors: Abi) {
    this.#rpc = rpc
    this.#signer = signer
    this.#chainId = chainId
    this.#errors = errors
  }

  async read(): Promise<ChainReading> {
    const [id, block, count, balance, tip] = await this.#rpc.batch([
      ['eth_chainId'],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getTransactionCount', this.#signer, 'latest'],
      ['eth_getBalance', this.#signer, 'latest'],
      ['eth_maxPriorityFeePerGas'],
    ])
    // The count of another chain would make the relayer assign nonces that this chain never reaches.
    this.#requireChain(required(id))
    const { number, baseFeePerGas } = readObject(required(block))
    return {
      head: Number(readQuantity(number)),
      baseFeeWei: readQuantity(baseFeePerGas ?? '0x0'),
      count: Number(readQuantity(required(count))),
      balanceWei: readQuantity(required(balance)),
      // Not every node has an opinion on tips.
      tipWei: tip?.ok ? readQuantity(tip.result) : defaultTipWei,
    }
  }

  /** Transactions of the key in blocks. */
  async count(): Promise<number> {
    return Number(readQuantity(await this.#rpc.call('eth_getTransactionCount', this.#signer, 'latest')))
  }

  /** Runs the call as it would be relayed, on top of the pool. @returns The gas it takes, with room for a state that moved on, or why it fails. */
  async simulate(call: Call, gasMax: number): Promise<{ gas: number } | RevertReason> {
    try {
      const used = Number(
        readQuantity(await this.#rpc.call('eth_estimateGas', this.#params(call), 'pending')),
      )
      if (used > gasMax) return tooMuchGas(used, gasMax)
      return { gas: used === 21_000 ? used : Math.ceil(used * 1.25) }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const most = estimatedMax(error.message)
      // If the node's own limit is below that of the call, nobody knows whether the call would do.
      if (most !== null && most >= gasMax) return tooMuchGas(most, gasMax)
      if (isRevert(error)) return readRevert(this.#errors, error)
      throw error
    }
  }

  /** By nonce, the receipt of the attempt that was mined, or null. A nonce about which the node gives no sensible answer is left out. */
  async receipts(attempts: readonly Attempt[]): Promise<Map<number, Receipt | null>> {
    const outcomes = await this.#rpc.batch(attempts.map(({ hash }) => ['eth_getTransactionReceipt', hash]))
    const receipts = new Map<number, Receipt | null>()
    const unknown = new Set<number>()
    for (const [index, { nonce, hash }] of attempts.entries()) {
      const receipt = readReceipt(outcomes[index], hash)
      if (receipt === undefined) unknown.add(nonce)
      else if (receipt !== null || !receipts.has(nonce)) receipts.set(nonce, receipt)
    }
    for (const nonce of unknown) if (receipts.get(nonce) === null) receipts.delete(nonce)
    return receipts
  }

  /** The hash of the key's transaction with this nonce in a block up to `last`, by the counts of blocks; null if unused or unknown to the node. */
  async findTransaction(nonce: number, last: number): Promise<string | null> {
    try {
      if (!(await this.#isUsed(nonce, last))) return null
      let step = 1
      while (step < last && (await this.#isUsed(nonce, last - step))) step *= 2
      let [before, at] = [Math.max(0, last - step), last - Math.floor(step / 2)]
      while (at - before > 1) {
        const middle = Math.floor((before + at) / 2)
        if (await this.#isUsed(nonce, middle)) at = middle
        else before = middle
      }
      return await this.#transactionIn(at, nonce)
    } catch (error) {
      if (error instanceof RpcError || error instanceof RpcUnreachable) return null
      throw error
    }
  }

  async #isUsed(nonce: number, block: number): Promise<boolean> {
    const count = await this.#ask('eth_getTransactionCount', this.#signer, quantity(block))
    return readQuantity(count) > BigInt(nonce)
  }

  /** One question to a node that is of this chain: what the key did elsewhere proves nothing. */
  async #ask(...call: RpcCall): Promise<unknown> {
    const [id, answer] = await this.#rpc.all([['eth_chainId'], call])
    this.#requireChain(id)
    return answer
  }

  #requireChain(id: unknown): void {
    if (readQuantity(id) !== BigInt(this.#chainId))
      throw new RpcUnreachable(`the node is not one of chain ${this.#chainId}`)
  }

  async #transactionIn(block: number, nonce: number): Promise<string | null> {
    const { transactions } = readObject(await this.#ask('eth_getBlockByNumber', quantity(block), true))
    const found = (Array.isArray(transactions) ? transactions : [])
      .map(readObject)
      .find((one) => isSame(one.from, this.#signer) && readQuantity(one.nonce) === BigInt(nonce))
    return typeof found?.hash === 'string' ? found.hash.toLowerCase() : null
  }

  /** Why a mined action reverted: it is run again before its block, and after it should a transaction of the same block have been in the way. */
  async explainRevert(relay: Relay, blockNumber: number): Promise<string> {
    const params = { ...this.#params(relay), gas: quantity(relay.gas) }
    for (const block of [blockNumber - 1, blockNumber]) {
      try {
        await this.#rpc.call('eth_call', params, quantity(block))
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        return isRevert(error) ? readRevert(this.#errors, error).text : 'reverted'
      }
    }
    return 'reverted for a temporary reason'
  }

  /** The node's refusal of each, or null if it took the bytes into its pool. */
  async send(attempts: readonly Attempt[]): Promise<(RpcError | null)[]> {
    const outcomes = await this.#rpc.batch(attempts.map(({ raw }) => ['eth_sendRawTransaction', raw]))
    return outcomes.map((outcome) => (outcome.ok ? null : outcome.error))
  }

  #params({ to, data, valueWei }: Call) {
    return { from: this.#signer, to, data, value: quantity(valueWei) }
  }
}

/** Undefined when the answer says nothing. */
function readReceipt(outcome: RpcOutcome | undefined, hash: string): Receipt | null | undefined {
  if (!outcome?.ok) return undefined
  if (outcome.result === null) return null
  try {
    const { blockNumber, status } = readObject(outcome.result)
    return {
      transactionHash: hash,
      blockNumber: Number(readQuantity(blockNumber)),
      succeeded: readQuantity(status) === 1n,
    }
  } catch (error) {
    if (error instanceof RpcUnreachable) return undefined
    throw error
  }
}

const isSame = (address: unknown, other: string): boolean =>
  typeof address === 'string' && address.toLowerCase() === other

function required(outcome: RpcOutcome | undefined): unknown {
  if (outcome?.ok) return outcome.result
  throw outcome?.error ?? new RpcUnreachable('a batch was answered in part')
}

const tooMuchGas = (used: number, gasMax: number): RevertReason => ({
  name: 'TooMuchGas',
  args: [String(used), String(gasMax)],
  text: tooMuchGasText(used, gasMax),
})
