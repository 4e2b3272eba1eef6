/** A call of an Ethereum node: method and parameters. */
export type RpcCall = readonly [method: string, ...params: unknown[]]

/** Thrown when a node answers a call with an error. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly method: string
  readonly code: number
  /** Revert data, when the call reverted. */
  readonly data: unknown

  constructor(method: string, { code, message, data }: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${message}`)
    this.method = method
    this.code = code
    this.data = data
  }
}

/** How long a node has for an answer that somebody waits for. */
const answerLimitMs = 15_000

/** {@link callBatch} of a node that is somebody else's, which may be there and say nothing. */
export const callNode = (
  url: string,
  calls: readonly RpcCall[],
  limitMs = answerLimitMs,
): Promise<unknown[]> => callBatch(url, calls, AbortSignal.timeout(limitMs))

/**
 * Sends calls in one HTTP request, or one by one where the node takes no batches, and gives their results in the same order.
 * @throws {@link RpcError} for the first call that failed, and when the signal ends the wait.
 */
export async function callBatch(
  url: string,
  calls: readonly RpcCall[],
  signal?: AbortSignal,
): Promise<unknown[]> {
  const requests = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const name = calls[0]?.[0] ?? 'no call'
  const answers = await post(url, name, requests, signal)
  const list = Array.isArray(answers)
    ? (answers as Answer[])
    : await Promise.all(requests.map(async (one) => (await post(url, one.method, one, signal)) as Answer))
  const byId = new Map(list.map((answer) => [answer.id, answer]))
  return calls.map(([method], id) => {
    const { result, error } = byId.get(id) ?? { error: { code: 0, message: 'no answer' } }
    if (error) throw new RpcError(method, error)
    return result
  })
}

async function post(url: string, method: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
  const { host } = new URL(url)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
    if (!response.ok)
      throw new RpcError(method, { code: response.status, message: `${host} answers ${response.status}` })
    return await response.json()
  } catch (error) {
    if (signal?.aborted) throw new RpcError(method, { code: 0, message: `${host} does not answer in time` })
    throw error
  }
}

interface Answer {
  id: number
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}
