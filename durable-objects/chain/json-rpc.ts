/** The node answered, with an error: whatever was asked for did not happen for the reason it gives. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  /** Return data of a reverted call. */
  readonly data: string | undefined

  constructor(code: number, message: string, data?: string) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** No usable answer came: the node may or may not have acted on the request. */
export class RpcUnreachable extends Error {
  override readonly name = 'RpcUnreachable'
}

export type RpcCall = readonly [method: string, ...params: unknown[]]
export type RpcOutcome = { ok: true; result: unknown } | { ok: false; error: RpcError }

interface Reply {
  id?: unknown
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}

/** Nodes and their gateways cut larger batches off. */
const batchMax = 50
/** Requests on the way at once. More would only wait at the node, while their time runs out. */
const requestsMax = 16

interface Waiting {
  go: () => void
  giveUp: (error: RpcUnreachable) => void
}

/**
 * JSON-RPC over HTTP without retries: whoever asks knows what a repetition would mean. A crowd of callers is let through
 * in the order in which it came; when the node does not answer one of them in time, those who wait are not kept waiting.
 */
export class JsonRpc {
  readonly #url: string
  readonly #timeoutMs: number
  readonly #waiting: Waiting[] = []
  #running = 0
  constructor(url: string, timeoutMs: number) {
    this.#url = url
    this.#timeoutMs = timeoutMs
  }

  /** @throws {@link RpcError} or {@link RpcUnreachable}. */
  async call<T>(...call: RpcCall): Promise<T> {
    return readReply((await this.#post(encode(call, 0))) as Reply) as T
  }

  /** The outcome of each call, in order. @throws {@link RpcUnreachable} when the answer to any of them is missing. */
  async batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    const outcomes: RpcOutcome[] = []
    for (let start = 0; start < calls.length; start += batchMax) {
      const part = calls.slice(start, start + batchMax)
      const replies = await this.#post(part.map(encode))
      if (!Array.isArray(replies)) throw new RpcUnreachable('the answer to a batch is not an array')
      const byId = new Map((replies as Reply[]).map((reply) => [reply.id, reply]))
      for (const id of part.keys()) {
        const reply = byId.get(id)
        if (!reply) throw new RpcUnreachable('a batch was answered in part')
        try {
          outcomes.push({ ok: true, result: readReply(reply) })
        } catch (error) {
          if (!(error instanceof RpcError)) throw error
          outcomes.push({ ok: false, error })
        }
      }
    }
    return outcomes
  }

  /** The results of calls that all have to succeed. @throws {@link RpcError} or {@link RpcUnreachable}. */
  async all(calls: readonly RpcCall[]): Promise<unknown[]> {
    return (await this.batch(calls)).map((outcome) => {
      if (!outcome.ok) throw outcome.error
      return outcome.result
    })
  }

  async #post(body: unknown): Promise<unknown> {
    if (this.#running >= requestsMax)
      await new Promise<void>((go, giveUp) => this.#waiting.push({ go, giveUp }))
    else this.#running += 1
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
      return await response.json()
    } catch (error) {
      const unreachable = new RpcUnreachable(
        `the chain did not answer: ${error instanceof Error ? error.message : error}`,
      )
      if (controller.signal.aborted) for (const { giveUp } of this.#waiting.splice(0)) giveUp(unreachable)
      throw unreachable
    } finally {
      // At once: a timer left behind would keep the object that asks in memory.
      stop()
      const next = this.#waiting.shift()
      // Whoever goes next takes the place of the one that is done.
      if (next) next.go()
      else this.#running -= 1
    }
  }
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

function readReply(reply: Reply): unknown {
  if (typeof reply !== 'object' || reply === null) throw new RpcUnreachable('the answer is not an object')
  if (reply.error) {
    const { code = 0, message = '', data } = reply.error
    throw new RpcError(code, message, revertData(data))
  }
  if (reply.result === undefined) throw new RpcUnreachable('the answer has neither a result nor an error')
  return reply.result
}

/** Nodes differ in where they put the return data of a revert. */
function revertData(data: unknown): string | undefined {
  if (typeof data === 'string') return /0x[0-9a-fA-F]*/.exec(data)?.[0]
  if (typeof data === 'object' && data !== null && 'data' in data) return revertData(data.data)
  return undefined
}

export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

/** Reads a quantity out of an answer. @throws {@link RpcUnreachable} for anything else: it says nothing about the chain. */
export function readQuantity(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value)
  throw new RpcUnreachable('the answer has no number where one belongs')
}

/** Reads an object out of an answer. @throws {@link RpcUnreachable} for anything else. */
export function readObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw new RpcUnreachable('the answer has no object where one belongs')
}
