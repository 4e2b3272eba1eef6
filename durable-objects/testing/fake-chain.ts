import { type Hex, keccak256, parseTransaction } from 'viem'
import { vi } from 'vitest'

interface Sent {
  hash: string
  nonce: number
  to: string
  data: string
}

/**
 * A chain behind `fetch`, for tests that run where no process can be started. It mines on command, holds one account,
 * and lets a test say what goes wrong.
 */
export class FakeChain {
  head = 10
  balance = 10n ** 20n
  /** Wei per gas. */
  baseFee = 10n ** 9n
  id = 31337
  /** Answers nothing while true. */
  down = false
  /** Answers these methods with what no node should. */
  readonly nonsense = new Map<string, unknown>()
  /** The answer to raw transactions comes no sooner than this. */
  held: Promise<void> | null = null
  /** Refuses raw transactions with this message. */
  refusal: string | null = null
  /** Return data with which simulations revert. */
  revert: string | null = null
  /** Return data with which transactions revert in their block. */
  minedRevert: string | null = null
  /** Gas that simulations say a call takes. */
  gas = 50_000
  /** What read-only calls answer. */
  callAnswer = 0n
  /** Raw transactions that arrived, repetitions included. */
  readonly received: Sent[] = []
  readonly #pool = new Map<number, Sent>()
  readonly #mined = new Map<string, number>()
  #count = 0

  install(): this {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      if (this.down) throw new Error('connection refused')
      const body = JSON.parse(String(init?.body))
      const received = this.received.length
      const answer = Array.isArray(body) ? body.map((call) => this.#reply(call)) : this.#reply(body)
      if (this.received.length > received) await this.held
      return Response.json(answer)
    })
    return this
  }

  /** A block with everything whose turn it is. */
  mine(): void {
    this.head += 1
    for (let next = this.#pool.get(this.#count); next; next = this.#pool.get(this.#count)) {
      this.#mined.set(next.hash, this.head)
      this.#pool.delete(next.nonce)
      this.#count += 1
    }
  }

  /** Uses the next nonce up with a transaction from elsewhere. */
  mineForeignTransaction(): void {
    this.head += 1
    this.#pool.delete(this.#count)
    this.#count += 1
  }

  #reply({ id, method, params }: { id: number; method: string; params: string[] }) {
    try {
      return { jsonrpc: '2.0', id, result: this.#answer(method, params) }
    } catch (error) {
      const { message, data } = error as Error & { data?: string }
      return { jsonrpc: '2.0', id, error: { code: data ? 3 : -32_000, message, data } }
    }
  }

  #answer(method: string, params: string[]): unknown {
    const hex = (value: number | bigint) => `0x${value.toString(16)}`
    if (this.nonsense.has(method)) return this.nonsense.get(method)
    switch (method) {
      case 'eth_chainId':
        return hex(this.id)
      case 'eth_getBlockByNumber': {
        const number = params[0]?.startsWith('0x') ? Number(params[0]) : this.head
        return number > this.head ? null : this.#block(number)
      }
      case 'eth_blockNumber':
        return hex(this.head)
      case 'eth_maxPriorityFeePerGas':
        return hex(10n ** 9n)
      case 'eth_getTransactionCount':
        return hex(this.#count)
      case 'eth_getBalance':
        return hex(this.balance)
      case 'eth_call':
        if (this.minedRevert !== null) throw reverted(this.minedRevert)
        return `0x${this.callAnswer.toString(16).padStart(64, '0')}`
      case 'eth_estimateGas':
        if (this.revert !== null) throw reverted(this.revert)
        return hex(this.gas)
      case 'eth_getLogs':
        return []
      case 'eth_sendRawTransaction':
        return this.#send(params[0] as Hex)
      case 'eth_getTransactionReceipt': {
        const hash = params[0] as string
        const number = this.#mined.get(hash)
        if (number === undefined) return null
        const status = this.minedRevert === null ? '0x1' : '0x0'
        return { transactionHash: hash, blockNumber: hex(number), status }
      }
      default:
        throw new Error(`no such method: ${method}`)
    }
  }

  #block(number: number) {
    const hash = (of: number) => keccak256(`0x${of.toString(16).padStart(64, '0')}`)
    return {
      number: `0x${number.toString(16)}`,
      hash: hash(number),
      parentHash: hash(number - 1),
      timestamp: '0x1',
      logsBloom: `0x${'00'.repeat(256)}`,
      baseFeePerGas: `0x${this.baseFee.toString(16)}`,
    }
  }

  #send(raw: Hex): string {
    const { nonce = 0, to, data } = parseTransaction(raw)
    const sent = { hash: keccak256(raw), nonce, to: to ?? '', data: data ?? '0x' }
    this.received.push(sent)
    if (this.refusal !== null) throw new Error(this.refusal)
    if (nonce < this.#count) throw new Error('nonce too low')
    if (this.#pool.get(nonce)?.hash === sent.hash) throw new Error('already known')
    this.#pool.set(nonce, sent)
    return sent.hash
  }
}

const reverted = (data: string) => Object.assign(new Error('execution reverted'), { data })
