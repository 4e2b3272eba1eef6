import { readCapped } from './capped-text.ts'
import { RequestSize, type RpcMemory } from './request-size.ts'
import {
  RpcAnswerTooLarge,
  type RpcCall,
  RpcError,
  type RpcOutcome,
  RpcUnreachable,
  readObject,
} from './rpc-answers.ts'

interface Reply {
  id?: unknown
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}

/** Requests on the way at once. More would only wait at the node, while their time runs out. */
const requestsMax = 16
/** Nodes and their gateways cut larger batches off. */
const callsMax = 50
/** The receipt of a transaction that fills a block with logs has less; an isolate has 128 MB for everything. */
const answerBytesMax = 20 * 1024 * 1024
/** With these a gateway refuses what a request holds, such as a batch that is too large for it. */
const refusingStatuses = [400, 403, 405, 413, 422]

export interface RpcOptions {
  /** Sends a request again after a while that a rate limit refused, for callers that nobody waits for. */
  isPatient?: boolean
  /** Outlives the caller. */
  memory?: RpcMemory
}

class RpcRequestRefused extends RpcUnreachable {}

/** The node takes no request now, because too many came: it did nothing, and the same request may be sent again. */
class RpcRateLimited extends RpcUnreachable {
  /** How long the node asks to wait; null if it does not say. */
  readonly waitMs: number | null
  constructor(waitMs: number | null) {
    super('the chain did not answer: HTTP 429')
    this.waitMs = waitMs
  }
}

/** How often a patient caller sends a request that a rate limit refused, the first time included. */
const rateLimitTries = 6
/** The wait before the second try; each later one is twice as long. */
const firstWaitMs = 100
/** No caller waits longer than this, whatever the node asks for. */
const waitMsMax = 5_000

/** Calls that somebody waits for; they go in one request, unless the node refuses a batch of this size. */
interface Asking {
  calls: readonly RpcCall[]
  answer: (outcomes: RpcOutcome[]) => void
  giveUp: (error: unknown) => void
}

/** One node, over HTTP. Callers who find all requests on the way go next, together; when one request gets no answer in time, they fail too. */
export class RpcNode {
  /** The address without what may hold a key. */
  readonly host: string
  readonly #url: string
  readonly #timeoutMs: number
  readonly #isPatient: boolean
  readonly #waiting: Asking[] = []
  readonly #size: RequestSize
  #running = 0

  constructor(url: string, timeoutMs: number, { isPatient = false, memory }: RpcOptions = {}) {
    this.#url = url
    this.#timeoutMs = timeoutMs
    this.#isPatient = isPatient
    const limits = { first: callsMax, max: callsMax, grown: (calls: number) => calls + 1 }
    this.host = new URL(url).host
    this.#size = new RequestSize(limits, memory && { memory, key: `batch of ${this.host}` })
  }

  /** The outcome of each call, in order. @throws {@link RpcUnreachable} when the answer to any of them is missing. */
  async batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    const outcomes: RpcOutcome[] = []
    while (outcomes.length < calls.length) {
      const part = calls.slice(outcomes.length, outcomes.length + this.#size.most)
      for (const outcome of await this.#ask(part)) outcomes.push(outcome)
    }
    return outcomes
  }

  #ask(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    return new Promise((answer, giveUp) => {
      this.#waiting.push({ calls, answer, giveUp })
      this.#goOn()
    })
  }

  #goOn(): void {
    while (this.#running < requestsMax && this.#waiting.length > 0) {
      this.#running += 1
      void this.#send(takeTogether(this.#waiting, this.#size.most)).finally(() => {
        this.#running -= 1
        this.#goOn()
      })
    }
  }

  /** Answers everyone whose calls these are; never fails itself. */
  async #send(together: readonly Asking[]): Promise<void> {
    try {
      const replies = (await this.#exchangePatiently(together.flatMap(({ calls }) => calls))).values()
      for (const { calls, answer, giveUp } of together) {
        const own = calls.map(() => replies.next().value)
        try {
          answer(own.map(readOutcome))
        } catch (error) {
          giveUp(error)
        }
      }
    } catch (error) {
      for (const { giveUp } of together) giveUp(error)
    }
  }

  /** Calls that the node refuses one by one, for its rate limit, are asked again without the others. */
  async #exchangePatiently(calls: readonly RpcCall[]): Promise<(Reply | undefined)[]> {
    const replies = await this.#exchange(calls)
    for (let tries = 1; this.#isPatient && tries < rateLimitTries; tries++) {
      const limited = [...replies.keys()].filter((at) => isRateLimited(replies[at]))
      if (limited.length === 0) break
      await pause(waitOf(tries))
      const again = await this.#exchange(limited.map((at) => calls[at] as RpcCall))
      for (const [index, at] of limited.entries()) replies[at] = again[index]
    }
    return replies
  }

  /** The reply to each call, in order. If the node refuses a batch of this size, they are sent in parts. */
  async #exchange(calls: readonly RpcCall[]): Promise<(Reply | undefined)[]> {
    const [only] = calls
    if (only && calls.length === 1) return [readObject(await this.#post(encode(only, 0)))]
    if (calls.length <= this.#size.most) {
      const replies = await this.#postBatch(calls)
      if (replies !== null) {
        this.#size.noteTaken(calls.length)
        return replies
      }
      this.#size.noteRefused(calls.length)
    }
    const first = await this.#exchange(calls.slice(0, this.#size.most))
    return [...first, ...(await this.#exchange(calls.slice(first.length)))]
  }

  /** Null if the node refuses a batch of this size. */
  async #postBatch(calls: readonly RpcCall[]): Promise<(Reply | undefined)[] | null> {
    try {
      const answer = await this.#post(calls.map(encode))
      if (isBatchRefused(answer, calls.length)) return null
      const replies = byId(answer)
      return calls.map((_, id) => replies.get(id))
    } catch (error) {
      if (error instanceof RpcRequestRefused) return null
      throw error
    }
  }

  async #post(body: unknown): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#postOnce(body)
      } catch (error) {
        if (!(error instanceof RpcRateLimited) || !this.#isPatient || tries === rateLimitTries) throw error
        await pause(Math.min(waitMsMax, error.waitMs ?? waitOf(tries)))
      }
    }
  }

  async #postOnce(body: unknown): Promise<unknown> {
    const controller = new AbortController()
    const stop = afterTurns(this.#timeoutMs, () => controller.abort(new Error('timed out')))
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: controller.signal,
      })
      if (!response.ok) {
        await response.body?.cancel()
        if (response.status === 429) throw new RpcRateLimited(retryAfterMs(response))
        if (refusingStatuses.includes(response.status))
          throw new RpcRequestRefused(`the chain did not answer: HTTP ${response.status}`)
        throw new Error(`HTTP ${response.status}`)
      }
      return JSON.parse(await readCapped(response, answerBytesMax, answerTooLarge))
    } catch (error) {
      if (error instanceof RpcUnreachable) throw error
      const reason = error instanceof Error ? error.message : error
      const unreachable = new RpcUnreachable(`the chain did not answer: ${reason}`)
      if (controller.signal.aborted) for (const { giveUp } of this.#waiting.splice(0)) giveUp(unreachable)
      throw unreachable
    } finally {
      // At once: a timer left behind would keep the object that asks in memory.
      stop()
    }
  }
}

const answerTooLarge = () =>
  new RpcAnswerTooLarge(`the chain answered with more than ${answerBytesMax} bytes`)

/** Takes the first out of the queue, with those behind it that fit into the same request. */
function takeTogether(waiting: Asking[], most: number): Asking[] {
  let size = 0
  const end = waiting.findIndex(({ calls }, index) => {
    size += calls.length
    return index > 0 && size > most
  })
  return waiting.splice(0, end === -1 ? waiting.length : end)
}

const turns = 5

/** Calls back after `ms`, unless stopped. A caller too busy to read an answer that lay there uses up one of several turns, not all. */
function afterTurns(ms: number, callBack: () => void): () => void {
  let left = turns
  let timer: ReturnType<typeof setTimeout>
  const turn = () => {
    if (left === 0) return callBack()
    left -= 1
    timer = setTimeout(turn, ms / turns)
  }
  turn()
  return () => clearTimeout(timer)
}

const encode = ([method, ...params]: RpcCall, id: number) => ({ jsonrpc: '2.0', id, method, params })

/** Whether the answer refuses the batch for its size: nodes say so in one error, in place of the list or in it, or with one for each. */
function isBatchRefused(answer: unknown, calls: number): boolean {
  const replies = (Array.isArray(answer) ? answer : [answer]).map((reply) => readObject(reply) as Reply)
  const errors = replies.flatMap(({ error, result }) => (error && result === undefined ? error : []))
  if (errors.length === 0 || errors.length < replies.length) return false
  if (errors.every(({ message = '' }) => /batch/i.test(message))) return true
  return errors.length < calls && !errors.some(isRateLimit)
}

const isRateLimit = ({ code, message = '' }: { code?: number; message?: string }): boolean =>
  code === 429 || code === -32_005 || /rate limit|too many requests/i.test(message)

/** Providers also use -32005 for a question whose answer has too many logs, which no wait makes smaller. */
const isRateLimited = (reply: Reply | undefined): boolean =>
  reply?.error !== undefined &&
  reply.result === undefined &&
  isRateLimit(reply.error) &&
  !/result|logs|range/i.test(reply.error.message ?? '')

/** Twice as long each time, and never the same for two callers that were refused together. */
const waitOf = (tries: number): number => firstWaitMs * 2 ** (tries - 1) * (0.75 + Math.random() / 2)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** `Retry-After` in seconds; null for a date, which depends on the clock of somebody else, and where it is missing. */
function retryAfterMs({ headers }: Response): number | null {
  const text = headers.get('Retry-After') ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : null
}

function byId(replies: unknown): Map<unknown, Reply> {
  if (!Array.isArray(replies)) throw new RpcUnreachable('the answer to a batch is not an array')
  return new Map(replies.map((reply) => [readObject(reply).id, reply]))
}

function readOutcome(reply: Reply | undefined): RpcOutcome {
  if (!reply) throw new RpcUnreachable('a call was not answered')
  if (reply.error) {
    const { code = 0, message = '', data } = reply.error
    return { ok: false, error: new RpcError(code, message, revertData(data)) }
  }
  if (reply.result === undefined) throw new RpcUnreachable('the answer has neither a result nor an error')
  return { ok: true, result: reply.result }
}

/** Nodes differ in where they put the return data of a revert. */
function revertData(data: unknown): string | undefined {
  if (typeof data === 'string') return /0x[0-9a-fA-F]*/.exec(data)?.[0]
  if (typeof data === 'object' && data !== null && 'data' in data) return revertData(data.data)
  return undefined
}
