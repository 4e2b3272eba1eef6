/** The node answered, with an error: whatever was asked for did not happen for the reason it gives. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
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

/** The answer is larger than what an isolate can hold beside its other work: ask for less. */
export class RpcAnswerTooLarge extends RpcUnreachable {}

export type RpcCall = readonly [method: string, ...params: unknown[]]
export type RpcOutcome = { ok: true; result: unknown } | { ok: false; error: RpcError }

export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

/** Reads a quantity out of an answer. @throws {@link RpcUnreachable} for anything else: it says nothing about the chain. */
export function readQuantity(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value)
  throw new RpcUnreachable('the answer lacks a number')
}

/** Reads an object out of an answer. @throws {@link RpcUnreachable} for anything else. */
export function readObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw new RpcUnreachable('the answer lacks an object')
}

/** Reads a list out of an answer. @throws {@link RpcUnreachable} for anything else. */
export function readList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new RpcUnreachable('the answer lacks a list')
}
