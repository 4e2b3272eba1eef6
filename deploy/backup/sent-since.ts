import type { Hex, TransactionSerializableEIP1559 } from 'viem'
import { serializeTransaction } from 'viem/utils'
import { callNode } from '../../contracts/json-rpc.ts'
import { CommandError } from '../../scripts/command/errors.ts'
import type { ObjectPart } from './objects.ts'

/** A transaction as a node tells of it. */
export interface MinedTransaction {
  readonly hash: Hex
  readonly nonce: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly input: Hex
  readonly value: Hex
  readonly gas: Hex
  readonly chainId?: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly r: Hex
  readonly s: Hex
  readonly yParity?: Hex
}

/**
 * The transactions of an account in blocks after one, by their nonces. It halves the range where the count of transactions differs at its
 * ends. @param rpcUrls - All are asked for what waits, and the first one for blocks. @throws {@link CommandError} while some have not
 * reached a block: whether these do decides what a relayer has to send.
 */
export async function sentSince(
  rpcUrls: readonly string[],
  account: string,
  block: number,
): Promise<MinedTransaction[]> {
  const rpcUrl = rpcUrls[0]!
  const hex = (number: number) => `0x${number.toString(16)}`
  const count = async (at: string, url = rpcUrl) =>
    Number((await callNode(url, [['eth_getTransactionCount', account, at]]))[0])
  const latest = await count('latest')
  const pending = Math.max(...(await Promise.all(rpcUrls.map((url) => count('pending', url)))))
  if (pending > latest)
    throw new CommandError(
      `${pending - latest} transactions of ${account} have not reached a block. Run the command again when they have.`,
    )
  const [head] = await callNode(rpcUrl, [['eth_blockNumber']])
  const found: MinedTransaction[] = []
  const search = async (from: number, before: number, to: number, after: number): Promise<void> => {
    if (before === after) return
    if (to - from === 1) {
      const [mined] = (await callNode(rpcUrl, [['eth_getBlockByNumber', hex(to), true]])) as [
        { transactions: MinedTransaction[] } | null,
      ]
      found.push(
        ...(mined?.transactions ?? []).filter(({ from: sender }) => sender.toLowerCase() === account),
      )
      return
    }
    const middle = Math.floor((from + to) / 2)
    const between = await count(hex(middle))
    await search(from, before, middle, between)
    await search(middle, between, to, after)
  }
  const first = Math.min(block, Number(head))
  await search(first, await count(hex(first)), Number(head), latest)
  return found
}

type Row = Record<string, string | number | null>

/**
 * Gives actions that a relayer sent after its backup the transactions that they have: it must not send them again. A transaction belongs to
 * the action of its nonce, or to the oldest one without a nonce that asks for the very same call.
 * A relayer works while it is read, page by page: an action may be there before and after it got its nonce, or a transaction without the nonce
 * of its action.
 */
export function withSent(
  parts: readonly ObjectPart[],
  sent: readonly MinedTransaction[],
  nowMs: number,
): ObjectPart[] {
  const read = parts.map(({ table, rows }) => ({ table, rows: JSON.parse(rows) as Row[] }))
  const withNonce = new Set(
    read.flatMap(({ table, rows }) =>
      table === 'relays' ? rows.flatMap(({ id, nonce }) => (nonce === null ? [] : [id])) : [],
    ),
  )
  const rows = read.map(({ table, rows }) => ({
    table,
    rows: table === 'relays' ? rows.filter(({ id, nonce }) => nonce !== null || !withNonce.has(id!)) : rows,
  }))
  const relays = rows
    .flatMap(({ table, rows }) => (table === 'relays' ? rows : []))
    .toSorted((a, b) => Number(a.accepted_at_ms) - Number(b.accepted_at_ms))
  const known = new Set(
    rows.flatMap(({ table, rows }) => (table === 'attempts' ? rows.map(({ hash }) => hash) : [])),
  )
  const attempts: Row[] = []
  for (const transaction of sent) {
    const nonce = Number(transaction.nonce)
    if (known.has(transaction.hash) && relays.some((one) => one.nonce === nonce)) continue
    const isCall = ({ recipient, data, value_wei }: Row) =>
      String(recipient).toLowerCase() === transaction.to?.toLowerCase() &&
      data === transaction.input &&
      BigInt(String(value_wei)) === BigInt(transaction.value)
    const relay =
      relays.find((one) => one.nonce === nonce) ?? relays.find((one) => one.nonce === null && isCall(one))
    if (relay === undefined) continue
    Object.assign(relay, {
      nonce,
      ...(relay.status === 'queued' && { status: 'sent', tx_hash: transaction.hash }),
    })
    if (!known.has(transaction.hash)) attempts.push(attemptOf(transaction, nonce, !isCall(relay), nowMs))
  }
  const added = attempts.length > 0 ? [{ table: 'attempts', rows: attempts }] : []
  const object = parts[0]!.object
  return [...rows, ...added].map(({ table, rows }) => ({ object, table, rows: JSON.stringify(rows) }))
}

const attemptOf = (transaction: MinedTransaction, nonce: number, isNoop: boolean, nowMs: number): Row => ({
  hash: transaction.hash,
  nonce,
  raw: rawOf(transaction, nonce),
  max_fee_wei: String(BigInt(transaction.maxFeePerGas ?? '0x0')),
  tip_wei: String(BigInt(transaction.maxPriorityFeePerGas ?? '0x0')),
  signed_at_ms: nowMs,
  accepted: 1,
  noop: Number(isNoop),
})

/** The transaction as it was signed: after a reorganisation it is sent again. */
function rawOf(transaction: MinedTransaction, nonce: number): string {
  const unsigned: TransactionSerializableEIP1559 = {
    type: 'eip1559',
    chainId: Number(transaction.chainId),
    nonce,
    to: transaction.to,
    data: transaction.input,
    value: BigInt(transaction.value),
    gas: BigInt(transaction.gas),
    maxFeePerGas: BigInt(transaction.maxFeePerGas ?? '0x0'),
    maxPriorityFeePerGas: BigInt(transaction.maxPriorityFeePerGas ?? '0x0'),
  }
  const { r, s, yParity } = transaction
  return serializeTransaction(unsigned, { r, s, yParity: Number(yParity) })
}
