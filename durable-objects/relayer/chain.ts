import type { Abi } from 'viem'
import {
  type JsonRpc,
  quantity,
  RpcError,
  type RpcOutcome,
  RpcUnreachable,
  readObject,
  readQuantity,
} from '../chain/json-rpc.ts'
import type { FeeMarket } from './fees.ts'
import type { Attempt, Relay } from './ledger.ts'
import { isRevert, type RevertReason, readRevert } from './revert-reason.ts'

/** The chain as the key sees it at one moment, read in one batch. */
export interface ChainSnapshot extends FeeMarket {
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

  async snapshot(): Promise<ChainSnapshot> {
    const [id, block, count, balance, tip] = await this.#rpc.batch([
      ['eth_chainId'],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getTransactionCount', this.#signer, 'latest'],
      ['eth_getBalance', this.#signer, 'latest'],
      ['eth_maxPriorityFeePerGas'],
    ])
    // What another chain says would give out nonces that this one never reaches.
    if (readQuantity(required(id)) !== BigInt(this.#chainId))
      throw new RpcUnreachable(`the node is not one of chain ${this.#chainId}`)
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

  /**
   * Runs the call as it would be relayed, on top of what waits in the pool.
   *
   * @returns The gas it takes with room for a state that moved on, or why it is not relayed.
   */
  async simulate(call: Call, gasMax: number): Promise<{ gas: number } | RevertReason> {
    try {
      const used = Number(
        readQuantity(await this.#rpc.call('eth_estimateGas', this.#params(call), 'pending')),
      )
      if (used > gasMax)
        return { name: null, args: [], text: `it takes ${used} gas, and ${gasMax} are given for it` }
      return { gas: used === 21_000 ? used : Math.ceil(used * 1.25) }
    } catch (error) {
      if (error instanceof RpcError && isRevert(error)) return readRevert(this.#errors, error)
      throw error
    }
  }

  /** The receipt of whichever attempt was mined, per nonce. */
  async receipts(attempts: readonly Attempt[]): Promise<Map<number, Receipt>> {
    const found = await this.#rpc.all(attempts.map(({ hash }) => ['eth_getTransactionReceipt', hash]))
    const receipts = new Map<number, Receipt>()
    for (const [index, { nonce, hash }] of attempts.entries()) {
      if (found[index] === null) continue
      const { blockNumber, status } = readObject(found[index])
      receipts.set(nonce, {
        transactionHash: hash,
        blockNumber: Number(readQuantity(blockNumber)),
        succeeded: readQuantity(status) === 1n,
      })
    }
    return receipts
  }

  /**
   * Why a mined action reverted: it is run again before its block, and after it should only a transaction of the same
   * block have been in the way.
   */
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
    return 'reverted for a reason that has passed'
  }

  /** The node's refusal of each, or null where it took the bytes into its pool. */
  async send(attempts: readonly Attempt[]): Promise<(RpcError | null)[]> {
    const outcomes = await this.#rpc.batch(attempts.map(({ raw }) => ['eth_sendRawTransaction', raw]))
    return outcomes.map((outcome) => (outcome.ok ? null : outcome.error))
  }

  #params({ to, data, valueWei }: Call) {
    return { from: this.#signer, to, data, value: quantity(valueWei) }
  }
}

function required(outcome: RpcOutcome | undefined): unknown {
  if (outcome?.ok) return outcome.result
  throw outcome?.error ?? new RpcUnreachable('a batch was answered in part')
}
