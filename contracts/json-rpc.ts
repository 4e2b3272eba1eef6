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

/**
 * Sends calls in one HTTP request and gives their results in the same order.
 * @throws {@link RpcError} for the first call that failed.
 */
export async function callBatch(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))),
  })
  if (!response.ok) {
    const message = `${new URL(url).host} answers ${response.status}`
    throw new RpcError(calls[0]?.[0] ?? 'no call', { code: response.status, message })
  }
  const answers = (await response.json()) as Answer[]
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  return calls.map(([method], id) => {
    const { result, error } = byId.get(id) ?? { error: { code: 0, message: 'no answer' } }
    if (error) throw new RpcError(method, error)
    return result
  })
}

interface Answer {
  id: number
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}
