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

/** Nodes and their gateways cut larger batches off. */
const batchMax = 50
/** Requests on the way at once. More would only wait at the node, while their time runs out. */
const requestsMax = 16

/** The receipt of a transaction that fills a block with logs has less; an isolate has 128 MB for everything. */
const answerBytesMax = 20 * 1024 * 1024

/** Calls that somebody waits for; they go in one request. */
interface Asking {
  calls: readonly RpcCall[]
  answer: (outcomes: RpcOutcome[]) => void
  giveUp: (error: unknown) => void
}

/**
 * One node, asked by JSON-RPC over HTTP. Of a crowd of callers, those who find all requests on the way are put together
 * and go next, in the order in which they came; when the node does not answer one request in time, they are not kept
 * waiting.
 */
export class RpcNode {
  readonly #url: string
  readonly #timeoutMs: number
  readonly #waiting: Asking[] = []
  #running = 0
  constructor(url: string, timeoutMs: number) {
    this.#url = url
    this.#timeoutMs = timeoutMs
  }

  /** The outcome of each call, in order. @throws {@link RpcUnreachable} when the answer to any of them is missing. */
  async batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    const outcomes: RpcOutcome[] = []
    for (let start = 0; start < calls.length; start += batchMax)
      for (const outcome of await this.#ask(calls.slice(start, start + batchMax))) outcomes.push(outcome)
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
      void this.#send(takeTogether(this.#waiting)).finally(() => {
        this.#running -= 1
        this.#goOn()
      })
    }
  }

  /** Answers everyone whose calls these are; never fails itself. */
  async #send(together: readonly Asking[]): Promise<void> {
    const calls = together.flatMap((asking) => asking.calls)
    let replies: Map<unknown, Reply>
    try {
      const [only] = calls
      replies =
        only && calls.length === 1
          ? new Map([[0, readObject(await this.#post(encode(only, 0)))]])
          : byId(await this.#post(calls.map(encode)))
    } catch (error) {
      for (const { giveUp } of together) giveUp(error)
      return
    }
    let id = 0
    for (const { calls: own, answer, giveUp } of together) {
      const from = id
      id += own.length
      try {
        answer(own.map((_, index) => readOutcome(replies.get(from + index))))
      } catch (error) {
        giveUp(error)
      }
    }
  }

  async #post(body: unknown): Promise<unknown> {
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
        throw new Error(`HTTP ${response.status}`)
      }
      return JSON.parse(await readText(response))
    } catch (error) {
      if (error instanceof RpcAnswerTooLarge) throw error
      const unreachable = new RpcUnreachable(
        `the chain did not answer: ${error instanceof Error ? error.message : error}`,
      )
      if (controller.signal.aborted) for (const { giveUp } of this.#waiting.splice(0)) giveUp(unreachable)
      throw unreachable
    } finally {
      // At once: a timer left behind would keep the object that asks in memory.
      stop()
    }
  }
}

/** Reads an answer, as far as it may go. @throws {@link RpcAnswerTooLarge} */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (bytes > answerBytesMax)
      throw new RpcAnswerTooLarge(`the chain answered with more than ${answerBytesMax} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Takes the first out of the queue, with those behind it that fit into the same request. */
function takeTogether(waiting: Asking[]): Asking[] {
  let size = 0
  const end = waiting.findIndex(({ calls }) => {
    size += calls.length
    return size > batchMax
  })
  return waiting.splice(0, end === -1 ? waiting.length : end)
}

const turns = 5

/**
 * Calls back once the time has passed in several turns, unless it is stopped. A caller that was too busy to read an
 * answer that lay there uses up one of them, however long that took: it must not hold the node to be silent.
 */
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
