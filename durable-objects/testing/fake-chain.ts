import {
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem'
import { vi } from 'vitest'

interface Sent {
  hash: string
  from: string
  nonce: number
  to: string
  data: string
  maxFee: bigint
  gas: bigint
}

interface Call {
  id: number
  method: string
  params: unknown[]
}

/**
 * A chain behind `fetch`, for tests that run where no process can be started. It mines on command, and lets a test say
 * what goes wrong.
 */
export class FakeChain {
  head = 10
  balance = 10n ** 20n
  /** Wei per gas. */
  baseFee = 10n ** 9n
  id = 31337
  down = false
  /** Unix seconds of a block. */
  timeOf = (_number: number): number => 1
  /** The last final block. */
  finalOf = (head: number): number => head
  /** Every bit of every bloom filter is set, as on a busy chain. */
  fullBlooms = false
  /** Answers to these methods that no node should give. */
  readonly nonsense = new Map<string, unknown>()
  readonly failingReceipts = new Set<string>()
  withoutReceipts = false
  /** Knows no state of blocks before this one. */
  prunedBelow = 0
  onCall: ((method: string) => void) | null = null
  /** The answer to raw transactions comes no sooner than this. */
  held: Promise<void> | null = null
  /** The answer to a trial run comes no sooner than this. */
  heldTrials: Promise<void> | null = null
  trials = 0
  /** The gas of a call with these data, in place of `gas`. */
  gasOf: ((data: Hex) => number) | null = null
  /** The most that an estimate of a call goes up to. */
  gasCap = Number.POSITIVE_INFINITY
  refusal: string | null = null
  /** Refuses raw transactions with these data, and this message. */
  readonly refused = new Map<string, string>()
  /** Refuses raw transactions that may pay more than this in all. */
  txFeeCap: bigint | null = null
  batchMax = Number.POSITIVE_INFINITY
  /** Counts this many transactions more than there are in blocks. */
  countedTooMany = 0
  /** Return data with which simulations revert. */
  revert: string | null = null
  /** Return data with which transactions revert in their block. */
  minedRevert: string | null = null
  /** Gas that simulations say a call takes. */
  gas = 50_000
  /** The answer to read-only calls. */
  callAnswer = 0n
  /** Raw transactions that arrived, repetitions included. */
  readonly received: Sent[] = []
  readonly #pool = new Map<string, Sent>()
  readonly #blocks = new Map<number, Sent[]>()

  install(): this {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      if (this.down) throw new Error('connection refused')
      const body = JSON.parse(String(init?.body)) as Call | Call[]
      const received = this.received.length
      const isTrial = [body].flat().some(({ method }) => method === 'eth_estimateGas')
      const { held, heldTrials } = this
      if ([body].flat().length > this.batchMax) {
        const message = `Batch of more than ${this.batchMax} requests are not allowed`
        return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } })
      }
      const replies = []
      for (const call of [body].flat()) replies.push(await this.#reply(call))
      if (this.received.length > received) await held
      if (isTrial) await heldTrials
      return Response.json(Array.isArray(body) ? replies : replies[0])
    })
    return this
  }

  /** A block with everything whose turn it is and that pays for it. */
  mine(): void {
    this.head += 1
    for (const { from } of [...this.#pool.values()])
      for (let next = this.#next(from); next && next.maxFee >= this.baseFee; next = this.#next(from)) {
        this.#include(next)
        this.#pool.delete(placeOf(next))
      }
  }

  /** Uses the next nonce of an account up with a transaction from elsewhere. */
  mineForeignTransaction(from: string): void {
    this.head += 1
    const nonce = this.#count(from, this.head)
    const foreign = {
      hash: keccak256(`0x${'f0'.repeat(nonce + 1)}`),
      from,
      nonce,
      to: from,
      data: '0x',
      maxFee: 0n,
      gas: 21_000n,
    }
    this.#pool.delete(placeOf(foreign))
    this.#include(foreign)
  }

  reorganise(depth: number): void {
    for (let block = this.head - depth + 1; block <= this.head; block++) this.#blocks.delete(block)
  }

  /** Takes what was received, and refused, into the pool after all. */
  accept(index: number): void {
    const sent = this.received[index] as Sent
    this.#pool.set(placeOf(sent), sent)
  }

  emptyPool(): void {
    this.#pool.clear()
  }

  #next(from: string): Sent | undefined {
    return this.#pool.get(placeOf({ from, nonce: this.#count(from, this.head) }))
  }

  #include(transaction: Sent): void {
    this.#blocks.set(this.head, [...(this.#blocks.get(this.head) ?? []), transaction])
  }

  #count(from: string, atBlock: number): number {
    const own = [...this.#blocks].filter(([number]) => number <= atBlock).flatMap(([, sent]) => sent)
    return own.filter((sent) => sent.from === from).length
  }

  async #reply({ id, method, params }: Call) {
    try {
      return { jsonrpc: '2.0', id, result: await this.#answer(method, params) }
    } catch (error) {
      const { message, data } = error as Error & { data?: string }
      return { jsonrpc: '2.0', id, error: { code: data ? 3 : -32_000, message, data } }
    }
  }

  async #answer(method: string, params: unknown[]): Promise<unknown> {
    const hex = (value: number | bigint) => `0x${value.toString(16)}`
    this.onCall?.(method)
    if (this.nonsense.has(method)) return this.nonsense.get(method)
    switch (method) {
      case 'eth_chainId':
        return hex(this.id)
      case 'eth_getBlockByNumber': {
        const number = this.#numberOf(params[0])
        return number > this.head ? null : this.#block(number, params[1] === true)
      }
      case 'eth_blockNumber':
        return hex(this.head)
      case 'eth_gasPrice':
        return hex(this.baseFee + 10n ** 9n)
      case 'eth_maxPriorityFeePerGas':
        return hex(10n ** 9n)
      case 'eth_getTransactionCount': {
        const number = this.#numberOf(params[1])
        if (number < this.prunedBelow) throw new Error('missing trie node')
        return hex(this.#count(params[0] as string, number) + this.countedTooMany)
      }
      case 'eth_getBalance':
        return hex(this.balance)
      case 'eth_call':
        if (this.minedRevert !== null) throw reverted(this.minedRevert)
        return `0x${this.callAnswer.toString(16).padStart(64, '0')}`
      case 'eth_estimateGas':
        this.trials += 1
        if (this.revert !== null) throw reverted(this.revert)
        return hex(this.#estimate((params[0] as { data: Hex }).data))
      case 'eth_getLogs':
        return []
      case 'eth_sendRawTransaction':
        return this.#send(params[0] as Hex)
      case 'eth_getTransactionReceipt':
        return this.#receipt(params[0] as string)
      default:
        throw new Error(`no such method: ${method}`)
    }
  }

  #estimate(data: Hex): number {
    const gas = this.gasOf?.(data) ?? this.gas
    if (gas > this.gasCap) throw new Error(`gas required exceeds allowance (${this.gasCap})`)
    return gas
  }

  #numberOf(block: unknown): number {
    if (block === 'finalized') return this.finalOf(this.head)
    return String(block).startsWith('0x') ? Number(block) : this.head
  }

  #receipt(hash: string) {
    if (this.failingReceipts.has(hash)) throw new Error('transaction indexing is in progress')
    const known = [...this.#blocks].filter(([number]) => number <= this.head)
    const found = known.find(([, sent]) => sent.some((one) => one.hash === hash))
    if (found === undefined || this.withoutReceipts) return null
    const status = this.minedRevert === null ? '0x1' : '0x0'
    return { transactionHash: hash, blockNumber: `0x${found[0].toString(16)}`, status }
  }

  #block(number: number, full: boolean) {
    const hash = (of: number) => keccak256(`0x${of.toString(16).padStart(64, '0')}`)
    const sent = this.#blocks.get(number) ?? []
    return {
      number: `0x${number.toString(16)}`,
      hash: hash(number),
      parentHash: hash(number - 1),
      timestamp: `0x${this.timeOf(number).toString(16)}`,
      logsBloom: `0x${(this.fullBlooms ? 'ff' : '00').repeat(256)}`,
      baseFeePerGas: `0x${this.baseFee.toString(16)}`,
      transactions: full
        ? sent.map((one) => ({ hash: one.hash, from: one.from, nonce: `0x${one.nonce.toString(16)}` }))
        : sent.map((one) => one.hash),
    }
  }

  async #send(raw: Hex): Promise<string> {
    const { nonce = 0, to, data, maxFeePerGas = 0n, gas = 0n } = parseTransaction(raw)
    const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
    const sent = {
      hash: keccak256(raw),
      from: from.toLowerCase(),
      nonce,
      to: to ?? '',
      data: data ?? '0x',
      maxFee: maxFeePerGas,
      gas,
    }
    this.received.push(sent)
    const refusal = this.refusal ?? this.refused.get(sent.data)
    if (refusal !== undefined) throw new Error(refusal)
    if (this.txFeeCap !== null && gas * maxFeePerGas > this.txFeeCap)
      throw new Error('tx fee (9.99 ether) exceeds the configured cap (1.00 ether)')
    if (nonce < this.#count(sent.from, this.head)) throw new Error('nonce too low')
    if (this.#pool.get(placeOf(sent))?.hash === sent.hash) throw new Error('already known')
    this.#pool.set(placeOf(sent), sent)
    return sent.hash
  }
}

const placeOf = ({ from, nonce }: Pick<Sent, 'from' | 'nonce'>): string => `${from} ${nonce}`

const reverted = (data: string) => Object.assign(new Error('execution reverted'), { data })
