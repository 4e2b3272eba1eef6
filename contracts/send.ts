import { setTimeout as wait } from 'node:timers/promises'
import type { Address, Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { callBatch } from './json-rpc.ts'

/** What an account's next transaction depends on. */
export interface Sender {
  readonly chainId: number
  readonly nonce: number
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
const pollMs = 200
const minedLimitMs = 120_000

export async function readSender(rpcUrl: string, account: Address): Promise<Sender> {
  const [chainId, nonce, block] = (await callBatch(rpcUrl, [
    ['eth_chainId'],
    ['eth_getTransactionCount', account, 'latest'],
    ['eth_getBlockByNumber', 'latest', false],
  ])) as [Hex, Hex, Sender['block']]
  return { chainId: Number(chainId), nonce: Number(nonce), block }
}

/** Pays for a base fee twice as high as the last block's. */
export const feePerGasOf = ({ block }: Sender): bigint => BigInt(block.baseFeePerGas) * 2n + tipWei

/**
 * Signs calls in their order, sends them all at once, and waits until they are mined.
 * @throws {@link SendError}, and `RpcError` when the node refuses one.
 */
export async function sendCalls(
  rpcUrl: string,
  account: LocalAccount,
  sender: Sender,
  calls: readonly Call[],
): Promise<void> {
  const raw = await Promise.all(
    calls.map((call, i) =>
      account.signTransaction({
        type: 'eip1559',
        chainId: sender.chainId,
        nonce: sender.nonce + i,
        ...call,
        maxFeePerGas: feePerGasOf(sender),
        maxPriorityFeePerGas: tipWei,
      }),
    ),
  )
  const hashes = await callBatch(
    rpcUrl,
    raw.map((transaction) => ['eth_sendRawTransaction', transaction]),
  )
  await requireMined(rpcUrl, hashes as Hex[])
}

async function requireMined(rpcUrl: string, hashes: readonly Hex[]): Promise<void> {
  const limit = Date.now() + minedLimitMs
  for (;;) {
    const receipts = (await callBatch(
      rpcUrl,
      hashes.map((hash) => ['eth_getTransactionReceipt', hash]),
    )) as ({ status: Hex } | null)[]
    const failed = receipts.findIndex((receipt) => receipt !== null && receipt.status !== '0x1')
    if (failed !== -1) throw new SendError(`The transaction ${hashes[failed]} failed.`)
    if (!receipts.includes(null)) return
    if (Date.now() > limit)
      throw new SendError(
        `The transactions ${hashes.join(', ')} are not mined after ${minedLimitMs / 1000} s.`,
      )
    await wait(pollMs)
  }
}
