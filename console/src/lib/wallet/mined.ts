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

/** A sent transaction. Another try goes on with it: the node forgets a transaction once a replacement has its place. */
export interface Sent {
  /** Of the transaction that is waited for: a replacement once it is found. Null if the wallet was asked and nobody heard its answer. */
  hash: string | null
  /** As the node has shown it; wallets may change the data of a call. */
  own: Transaction | null
  /** The first block that may have it and that was not searched for it. */
  nextBlock: number
}

/** A block takes a nonce a moment before this page asks, unless the browser lets its tab sleep. */
const blocksMax = 128
/** A node may be late by a block or two. */
const looksMax = 5
/** How often a node that has no block with a used nonce is asked for the receipt. */
const waitsMax = 60

/**
 * Waits until a block has the transaction, or the one that replaced it with the same call.
 *
 * @param sent is kept up to date, for another try if this one ends with an error.
 * @param pause waits until the next question, and throws if nobody waits any more.
 * @returns Whether the chain did what it says.
 * @throws {@link WalletProblem} if a block has another transaction in its place, or the node shows neither of them; at once if the
 * answer of the wallet is unknown and no block has the call.
 */
export async function succeeds(
  ask: Ask,
  from: string,
  sent: Sent,
  call: Call,
  pause: () => Promise<void>,
): Promise<boolean> {
  const endBlock = sent.nextBlock + blocksMax
  let looks = 0
  let waits = 0
  if (sent.hash === null) {
    await findByCall(ask, from, sent, call, endBlock)
    if (sent.hash === null) throw new WalletProblem('unsure')
  }
  for (;;) {
    // Before the receipt: a transaction that is in a block by then has one.
    const isUsed =
      sent.own !== null &&
      Number(await ask('eth_getTransactionCount', [from, 'latest'])) > Number(sent.own.nonce)
    const receipt = (await ask('eth_getTransactionReceipt', [sent.hash])) as { status?: unknown } | null
    if (receipt) return Number(receipt.status) === 1
    if (sent.own === null) {
      // A node forgets it once a replacement has its place, so it is asked for at once.
      sent.own = (await ask('eth_getTransactionByHash', [sent.hash])) as Transaction | null
      if (sent.own === null && looks++ >= looksMax) {
        await findByCall(ask, from, sent, call, endBlock)
        if (sent.own === null && sent.nextBlock >= endBlock) throw new WalletProblem('unseen')
      }
      if (sent.own !== null) continue
    } else if (isUsed) {
      const found = waits < looksMax ? await findByNonce(ask, from, sent.own.nonce) : null
      if (found !== null && found.hash !== sent.hash) {
        if (!isCall(found, call) && !isCall(found, { to: sent.own.to, data: sent.own.input }))
          throw new WalletProblem('replaced')
        sent.hash = found.hash
      }
      if (++waits > waitsMax) throw new WalletProblem('unseen')
    }
    await pause()
  }
}

/** Searches each block once for a call whose transaction the node does not know by the hash that the wallet named. */
async function findByCall(ask: Ask, from: string, sent: Sent, call: Call, endBlock: number): Promise<void> {
  const newest = Number(await ask('eth_blockNumber'))
  while (sent.nextBlock <= newest && sent.nextBlock < endBlock) {
    const transactions = await transactionsOf(ask, from, sent.nextBlock)
    if (transactions === null) return
    const found = transactions.find((one) => isCall(one, call))
    if (found) {
      sent.own = found
      sent.hash = found.hash
      return
    }
    sent.nextBlock++
  }
}

/** The transaction of an account with a nonce, from the newest blocks. */
async function findByNonce(ask: Ask, from: string, nonce: string): Promise<Transaction | null> {
  const newest = Number(await ask('eth_blockNumber'))
  for (let number = newest; number > Math.max(-1, newest - blocksMax); number--) {
    const transactions = await transactionsOf(ask, from, number)
    const found = transactions?.find((one) => Number(one.nonce) === Number(nonce))
    if (found) return found
  }
  return null
}

/** The transactions of an account in a block; null if the node does not have the block. */
async function transactionsOf(ask: Ask, from: string, block: number): Promise<Transaction[] | null> {
  const answer = await ask('eth_getBlockByNumber', [`0x${block.toString(16)}`, true])
  const { transactions = null } = (answer ?? {}) as { transactions?: readonly Transaction[] }
  return transactions?.filter((one) => one.from.toLowerCase() === from.toLowerCase()) ?? null
}

const isCall = ({ to, input }: Transaction, call: { to: string | null; data: string }): boolean =>
  to?.toLowerCase() === call.to?.toLowerCase() && input.toLowerCase() === call.data.toLowerCase()
