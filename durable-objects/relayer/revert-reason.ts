import { type Abi, decodeErrorResult, type Hex } from 'viem'
import type { RpcError } from '../chain/json-rpc.ts'

export interface RevertReason {
  /** Name of the error, `TooMuchGas` for one that takes more than it is given, or null when the contract gave none that is known. */
  name: string | null
  /** Arguments of an error that is known; integers in decimal, the rest in lower-case hex. */
  args: string[]
  /** Name and arguments, as a person reads them. */
  text: string
}

/** Whether an error of a simulation says that the call reverts; any other says that it was not simulated. */
export const isRevert = (error: RpcError): boolean =>
  error.code === 3 ||
  error.data !== undefined ||
  /revert|out ?of ?gas|opcode|stack (over|under)flow|jump|\bE?VM\b/i.test(error.message)

/** A contract may give a reason of any length, and it is stored and published. */
const textMax = 300

export const shorten = (text: string): string =>
  text.length <= textMax ? text : `${text.slice(0, textMax - 1)}…`

/** Reads a revert with the errors of all contracts: one that passes through a contract need not be its own. */
export function readRevert(errors: Abi, { data, message }: RpcError): RevertReason {
  if (data === undefined || data === '0x') return unnamed(message || 'reverted without a reason')
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errors, data: data as Hex })
    const texts = (args as readonly unknown[]).map(textOf)
    if (errorName === 'Error') return unnamed(texts[0] ?? message)
    return { name: errorName, args: texts, text: shorten(`${errorName}(${texts.join(', ')})`) }
  } catch {
    return unnamed(`unknown error ${data.slice(0, 10)}`)
  }
}

const unnamed = (text: string): RevertReason => ({ name: null, args: [], text: shorten(text) })

/** Addresses in lower case, as everywhere else. */
const textOf = (value: unknown): string => {
  const text = shorten(String(value))
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : text
}
