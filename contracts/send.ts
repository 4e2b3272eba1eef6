import { setTimeout as wait } from 'node:timers/promises'
import type { Address, Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { callNode, RpcError } from './json-rpc.ts'

/** The state of the chain that an account's next transaction depends on. */
export interface Sender {
  readonly chainId: number
  readonly nonce: number
  /** Transactions that wait in the node's pool. */
  readonly pending: number
  readonly block: { readonly number: Hex; readonly baseFeePerGas: Hex }
}

export interface Call {
  /** Left out to create a contract. */
  readonly to?: Address
  readonly data: Hex
  readonly gas: bigint
}

/** Thrown when a transaction failed, or is not mined in time. The message names it. */
export class SendError extends Error {
  override readonly name = 'SendError'
}

const tipWei = 1_000_000_000n
const pollMsMin = 10
const pollMsMax = 1_000
/** A node may forget what it took, for example when it restarts. */
const resendMs = 5_000
const minedLimitMs = 120_000

export async function readSender(rpcUrl: string, account: Address): Promise<Sender> {
  const [chainId, nonce, next, block] = (await callNode(rpcUrl, [
    ['eth_chainId'],
    ['eth_getTransactionCount', account, 'latest'],
    ['eth_getTransactionCount', account, 'pending'],
    ['eth_getBlockByNumber', 'latest', false],
  ])) as [Hex, Hex, Hex, Sender['block']]
  return { chainId: Number(chainId), nonce: Number(nonce), pending: Number(next) - Number(nonce), block }
}

/** Pays for a base fee twice as high as the last block's. */
export const feePerGasOf = ({ block }: Sender): bigint => BigInt(block.baseFeePerGas) * 2n + tipWei

/**
 * Signs calls in their order and sends each once the one before it is mined. A node need not keep more than one transaction
 * of an account: pools are limited, and anvil, which mines what comes at once, may leave one of several that come together
 * in its pool for ever.
 * @throws {@link SendError}, and `RpcError` when the node refuses one.
 */
export async function sendCalls(
  rpcUrl: string,
  account: LocalAccount,
  sender: Sender,
  calls: readonly Call[],
): Promise<void> {
  for (const [i, call] of calls.entries()) {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: sender.chainId,
      nonce: sender.nonce + i,
      ...call,
      maxFeePerGas: feePerGasOf(sender),
      maxPriorityFeePerGas: tipWei,
    })
    const [hash] = await callNode(rpcUrl, [['eth_sendRawTransaction', raw]])
    await requireMined(rpcUrl, raw, hash as Hex)
  }
}

async function requireMined(rpcUrl: string, raw: Hex, hash: Hex): Promise<void> {
  const limit = Date.now() + minedLimitMs
  let resendAt = Date.now() + resendMs
  for (let pollMs = pollMsMin; ; pollMs = Math.min(pollMs * 2, pollMsMax)) {
    const [receipt] = (await callNode(rpcUrl, [['eth_getTransactionReceipt', hash]])) as [
      { status: Hex } | null,
    ]
    if (receipt?.status === '0x1') return
    if (receipt) throw new SendError(`The transaction ${hash} failed.`)
    if (Date.now() > limit)
      throw new SendError(`The transaction ${hash} is not mined after ${minedLimitMs / 1000} s.`)
    if (Date.now() > resendAt) {
      resendAt += resendMs
      await resend(rpcUrl, raw)
    }
    await wait(pollMs)
  }
}

/** Most nodes refuse what they have, or have mined just now: the receipt decides. */
async function resend(rpcUrl: string, raw: Hex): Promise<void> {
  try {
    await callNode(rpcUrl, [['eth_sendRawTransaction', raw]])
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
  }
}
