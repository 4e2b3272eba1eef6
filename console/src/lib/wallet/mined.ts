/** Follows a transaction of a wallet into a block. The wallet may replace it: by the same call for a higher fee, or by something else. */
import { WalletProblem } from './problems.ts'

/** A transaction without coins. */
export interface Call {
  readonly to: string
  readonly data: string
}

type Ask = (method: string, params?: unknown) => Promise<unknown>

interface Transaction {
  readonly hash: string
  readonly from: string
  readonly nonce: string
  readonly to: string | null
  readonly input: string
}

/** A block takes a nonce a moment before this page asks, unless the browser lets its tab sleep. */
const blocksMax = 128
/** A node may be late by a block or two. Later it is only asked for the receipt. */
const looksMax = 5

/**
 * Waits until a block has the transaction, or the one that replaced it with the same call.
 *
 * @param pause waits until the next question, and throws if nobody waits any more.
 * @returns Whether the chain did what it says.
 * @throws {@link WalletProblem} if a block has another transaction in its place.
 */
export async function succeeds(
  ask: Ask,
  from: string,
  sent: { readonly hash: string; readonly call: Call },
  pause: () => Promise<void>,
): Promise<boolean> {
  let { hash } = sent
  let nonce: number | null = null
  let looks = 0
  for (;;) {
    // Before the receipt: a transaction that is in a block by then has one.
    const isUsed = nonce !== null && Number(await ask('eth_getTransactionCount', [from, 'latest'])) > nonce
    const receipt = (await ask('eth_getTransactionReceipt', [hash])) as { status?: unknown } | null
    if (receipt) return Number(receipt.status) === 1
    if (nonce === null) {
      // A node forgets it once a replacement has its place, so it is asked for at once.
      const own = (await ask('eth_getTransactionByHash', [hash])) as Transaction | null
      nonce = own ? Number(own.nonce) : null
      if (nonce !== null) continue
    } else if (isUsed && looks++ < looksMax) {
      const found = await findByNonce(ask, from, nonce)
      if (found !== null && !isSame(found, sent.call)) throw new WalletProblem('replaced', hash)
      if (found !== null) ({ hash } = found)
    }
    await pause()
  }
}

/** The transaction of an account with a nonce, from the newest blocks. */
async function findByNonce(ask: Ask, from: string, nonce: number): Promise<Transaction | null> {
  const newest = Number(await ask('eth_blockNumber'))
  for (let number = newest; number > Math.max(-1, newest - blocksMax); number--) {
    const block = await ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
    const { transactions = [] } = (block ?? {}) as { transactions?: readonly Transaction[] }
    const found = transactions.find(
      (one) => one.from.toLowerCase() === from.toLowerCase() && Number(one.nonce) === nonce,
    )
    if (found) return found
  }
  return null
}

const isSame = ({ to, input }: Transaction, call: Call): boolean =>
  to?.toLowerCase() === call.to.toLowerCase() && input.toLowerCase() === call.data.toLowerCase()
