import type { Abi } from 'viem'
import { type JsonRpc, quantity, RpcError, type RpcOutcome, RpcUnreachable } from '../chain/json-rpc.ts'
import type { FeeMarket } from './fees.ts'
import type { Attempt, Relay } from './ledger.ts'
import { isRevert, type RevertReason, readRevert } from './revert-reason.ts'

/** The chain as the key sees it, read in one batch. */
export interface ChainView extends FeeMarket {
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
  readonly #errors: Abi
  constructor(rpc: JsonRpc, signer: string, errors: Abi) {
    this.#rpc = rpc
    this.#signer = signer
    this.#errors = errors
  }

  async view(): Promise<ChainView> {
    const [block, count, balance, tip] = await this.#rpc.batch([
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getTransactionCount', this.#signer, 'latest'],
      ['eth_getBalance', this.#signer, 'latest'],
      ['eth_maxPriorityFeePerGas'],
    ])
    const { number, baseFeePerGas } = required<{ number: string; baseFeePerGas?: string }>(block)
    return {
      head: Number(number),
      baseFeeWei: BigInt(baseFeePerGas ?? 0),
      count: Number(required<string>(count)),
      balanceWei: BigInt(required<string>(balance)),
      // Not every node has an opinion on tips.
      tipWei: tip?.ok ? BigInt(tip.result as string) : defaultTipWei,
    }
  }

  /**
   * Runs the call as it would be relayed, on top of what waits in the pool.
   *
   * @returns The gas it takes with room for a state that moved on, or why it would revert.
   */
  async simulate(call: Call): Promise<{ gas: number } | RevertReason> {
    try {
      const used = Number(await this.#rpc.call<string>('eth_estimateGas', this.#params(call), 'pending'))
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
    for (const [index, { nonce }] of attempts.entries()) {
      const receipt = found[index] as null | { transactionHash: string; blockNumber: string; status: string }
      if (receipt === null) continue
      receipts.set(nonce, {
        transactionHash: receipt.transactionHash,
        blockNumber: Number(receipt.blockNumber),
        succeeded: BigInt(receipt.status) === 1n,
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

function required<T>(outcome: RpcOutcome | undefined): T {
  if (outcome?.ok) return outcome.result as T
  throw outcome?.error ?? new RpcUnreachable('a batch was answered in part')
}
