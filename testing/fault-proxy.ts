import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Hex } from 'viem'
import { parseTransaction } from 'viem/utils'
import { sendJson, startLocalServer } from './local-server.ts'
import { forwardCalls, type RpcCall, type RpcReply } from './rpc-proxy.ts'

/** A stream of numbers from 0 to 1 that a seed fixes. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const kinds = [
  'lost',
  'answer_lost',
  'answer_late',
  'http_500',
  'http_429',
  'lie',
  'stale',
  'nonsense',
  'other_chain',
  'counted_too_many',
]

const sendLies = [
  'already known',
  'nonce too low: next nonce 4, tx nonce 3',
  'replacement transaction underpriced',
  'transaction underpriced',
  'invalid chain id',
  'internal error',
  'exceeds block gas limit',
]

/** Faults that last, beside those that meet single requests. */
export interface LastingFaults {
  /** The node knows no receipt. */
  withoutReceipts?: boolean
  /** The node answers the question for the receipts of a fourth of the transactions with an error. */
  failingReceipts?: boolean
  /** The node counts two transactions more than the account has sent. */
  countsTooMany?: boolean
  /**
   * For this many milliseconds after the node first showed the header of a block, it has none of the block's logs, or only
   * the first log if the number of the block is odd.
   */
  logsLagMs?: number
  /** The share of requests that the provider answers with 429. */
  rateLimited?: number
}

/** The limits of a node, with or without faults. */
export interface NodeLimits {
  /** Calls that it takes in a batch. */
  batch?: number
  /** Wei that a raw transaction may cost at most. */
  txFeeCap?: bigint
}

export interface FaultProxy {
  url: string
  /** From here on a share `rate` of requests meets a fault, which ones and what fault is fixed by the seed. */
  follow: (seed: number, rate: number, lasting?: LastingFaults) => void
  /** For as long as the proxy stands. */
  limits: NodeLimits
  /** Answers nothing at all while true. */
  down: boolean
  /** Faults so far, by name. */
  faults: Map<string, number>
  stop: () => Promise<void>
}

/**
 * Stands between a hub and its chain and does what networks and nodes do: loses requests, loses answers to requests that
 * were carried out, never sends others, answers 500, refuses transactions for reasons that are not so, shows blocks of a
 * while ago, answers nonsense, asks a node of another chain, counts transactions that are not there, hides receipts, has logs later than
 * their headers, and answers 429. Its node may take only small batches, and no transaction that may cost much.
 * It lets everything through until it is told which scenario to follow.
 */
export async function startFaultProxy(chainUrl: string): Promise<FaultProxy> {
  let random = seededRandom(0)
  let rate = 0
  let lasting: LastingFaults = {}
  const faults = new Map<string, number>()
  /** When the header of each block was first shown, in milliseconds, by the number of the block. */
  const shownAtMs = new Map<number, number>()
  /** The heads and counts that were shown for each account, oldest first, by its address. */
  const shown = new Map<unknown, { head: unknown; count: unknown }[]>()

  /** A view as of some requests ago, whole: its head and its count belong together. */
  const makeStale = (calls: RpcCall[], replies: RpcReply[], stale: boolean): void => {
    const at = calls.findIndex(
      ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest',
    )
    const countAt = calls.findIndex(({ method }) => method === 'eth_getTransactionCount')
    const [head, count] = [replies[at], replies[countAt]]
    if (!head || !count) return
    const account = calls[countAt]?.params[0]
    const seen = shown.get(account) ?? []
    shown.set(account, seen)
    seen.push({ head: head.result, count: count.result })
    const old = seen[Math.max(0, seen.length - 1 - Math.floor(random() * 8))]
    if (stale && old) [head.result, count.result] = [old.head, old.count]
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    if (proxy.down) return void request.socket.destroy()
    const faulty = random() < rate
    const kind = kinds[Math.floor(random() * kinds.length)] as string
    const lie = sendLies[Math.floor(random() * sendLies.length)] as string
    const fault = faulty ? kind : null
    const note = (name: string) => faults.set(name, (faults.get(name) ?? 0) + 1)

    if (fault !== null && fault !== 'lie') note(fault)
    if (fault === 'lost') return void request.socket.destroy()
    if (fault === 'http_500') return void response.writeHead(500).end('upstream failed')
    const isLimited = lasting.rateLimited !== undefined && random() < lasting.rateLimited
    if (isLimited) note('rate_limited')
    if (isLimited || fault === 'http_429') return void response.writeHead(429).end('too many requests')
    const parsed = JSON.parse(body) as RpcCall | RpcCall[]
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    const { batch = Number.POSITIVE_INFINITY, txFeeCap } = proxy.limits
    if (calls.length > batch) {
      note('batch_refused')
      const error = { code: -32_600, message: `batches of more than ${batch} calls are not allowed` }
      return void sendJson(response, { jsonrpc: '2.0', id: null, error })
    }
    const lied = new Set(fault === 'lie' ? calls.filter(isSend).map(({ id }) => id) : [])
    const dear = new Set(
      txFeeCap === undefined ? [] : calls.filter((call) => isDearer(call, txFeeCap)).map(({ id }) => id),
    )
    const honest = calls.filter(({ id }) => !lied.has(id) && !dear.has(id))
    const replies = honest.length > 0 ? await forwardCalls(chainUrl, honest) : []
    makeStale(honest, replies, fault === 'stale')
    if (fault === 'nonsense') for (const reply of replies) reply.result = {}
    if (fault === 'other_chain') for (const [at, call] of honest.entries()) strayed(call, replies[at])
    const isCountedTooMany = fault === 'counted_too_many' || lasting.countsTooMany === true
    if (isCountedTooMany && honest.some((call, at) => countTooMany(call, replies[at])))
      if (fault !== 'counted_too_many') note('counts_too_many')
    for (const [at, call] of honest.entries()) {
      const name = hideReceipt(call, replies[at], lasting)
      if (name !== null) note(name)
      noteHeader(call, replies[at], shownAtMs)
      if (hideLogs(replies[at], call, shownAtMs, lasting.logsLagMs ?? 0)) note('logs_lag')
    }
    if (fault === 'answer_lost') return void request.socket.destroy()
    // Never: the caller gives up waiting.
    if (fault === 'answer_late') return
    for (const id of lied) {
      note(`lie: ${lie}`)
      replies.push({ id, jsonrpc: '2.0', error: { code: -32_000, message: lie } })
    }
    for (const id of dear) {
      if (lied.has(id)) continue
      note('fee_cap')
      const message = 'tx fee (0.02 ether) exceeds the configured cap (0.01 ether)'
      replies.push({ id, jsonrpc: '2.0', error: { code: -32_000, message } })
    }
    sendJson(response, Array.isArray(parsed) ? replies : replies[0])
  }

  const proxy: FaultProxy = {
    ...(await startLocalServer(answer)),
    follow(seed, share, faultsThatLast = {}) {
      random = seededRandom(seed)
      rate = share
      lasting = faultsThatLast
    },
    limits: {},
    down: false,
    faults,
  }
  return proxy
}

/** Turns a reply into that of a node of another chain, on which the key has sent 5000 transactions. */
function strayed({ method, params }: RpcCall, reply: RpcReply | undefined): void {
  if (reply === undefined) return
  if (method === 'eth_chainId') reply.result = '0x1'
  if (method === 'eth_getTransactionCount') reply.result = '0x1388'
  if (method === 'eth_getTransactionReceipt') reply.result = null
  if (method === 'eth_getBlockByNumber' && params[1] === true) {
    const { transactions = [] } = (reply.result ?? {}) as { transactions?: { hash: string }[] }
    for (const transaction of transactions) transaction.hash = `0x${'0f'.repeat(32)}`
  }
}

/** Whether the reply was a count as of now. */
function countTooMany({ method, params }: RpcCall, reply: RpcReply | undefined): boolean {
  if (method !== 'eth_getTransactionCount' || params[1] !== 'latest' || typeof reply?.result !== 'string')
    return false
  reply.result = `0x${(Number(reply.result) + 2).toString(16)}`
  return true
}

/** Whether a raw transaction may cost more than this. */
function isDearer(call: RpcCall, txFeeCap: bigint): boolean {
  if (!isSend(call)) return false
  const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(call.params[0] as Hex)
  return gas * maxFeePerGas > txFeeCap
}

function noteHeader({ method }: RpcCall, reply: RpcReply | undefined, shownAtMs: Map<number, number>): void {
  if (method !== 'eth_getBlockByNumber') return
  const { number } = (reply?.result ?? {}) as { number?: string }
  if (number !== undefined && !shownAtMs.has(Number(number))) shownAtMs.set(Number(number), Date.now())
}

/** Whether logs were left out that lag behind the headers of their blocks. */
function hideLogs(
  reply: RpcReply | undefined,
  { method }: RpcCall,
  shownAtMs: ReadonlyMap<number, number>,
  lagMs: number,
): boolean {
  if (method !== 'eth_getLogs' || lagMs === 0 || !Array.isArray(reply?.result)) return false
  const before = reply.result as { blockNumber: string }[]
  const isOld = (number: number) => Date.now() - (shownAtMs.get(number) ?? 0) >= lagMs
  reply.result = before.filter(({ blockNumber }, at) => {
    const isFirst = before[at - 1]?.blockNumber !== blockNumber
    return isOld(Number(blockNumber)) || (isFirst && Number(blockNumber) % 2 === 1)
  })
  return (reply.result as unknown[]).length < before.length
}

/** The name of the fault when the receipt that is asked for is not shown. */
function hideReceipt(
  { method, params: [hash] }: RpcCall,
  reply: RpcReply | undefined,
  { withoutReceipts, failingReceipts }: LastingFaults,
): string | null {
  if (method !== 'eth_getTransactionReceipt' || !reply?.result) return null
  if (withoutReceipts) {
    reply.result = null
    return 'no_receipt'
  }
  if (!failingReceipts || Number(`0x${String(hash).slice(-1)}`) % 4 > 0) return null
  delete reply.result
  reply.error = { code: -32_000, message: 'transaction indexing is in progress' }
  return 'failing_receipt'
}

const isSend = ({ method }: RpcCall): boolean => method === 'eth_sendRawTransaction'
