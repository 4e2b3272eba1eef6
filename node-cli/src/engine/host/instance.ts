import { WasmError } from '../../../../protocol/wasm/reader.ts'
import { GuestFailure } from '../execution.ts'

/** A host function: signed 32-bit parameters, and for those with a result pointer and length, or a code below 0. */
export type HostFunction = (
  ...parameters: number[]
) => number | readonly [pointer: number, length: number] | undefined

/** The host functions by `module.name`. */
export type HostFunctions = Readonly<Record<string, HostFunction>>

/**
 * A guest that an engine has instantiated. Methods that call it throw {@link GuestFailure} when the guest fails,
 * {@link RepeatExactly} when the run has to be repeated, and anything else for a fault of the node.
 */
export interface Instance {
  /** Gas used so far, never more than the limit. */
  readonly gasUsed: number
  /** Takes gas for work of the host; false, and nothing taken, when there is less. */
  charge: (gas: number) => boolean
  /** Marks all gas as used. */
  exhaust: () => void
  /** The guest's memory as it is at this moment. */
  memory: () => Uint8Array
  /** Runs the start function, if there is one. */
  start: () => void
  /** Calls `__alloc`: with the whole stack from outside, with the rest of it from within a host function. */
  allocate: (bytes: number, within: boolean) => number
  /** Calls `__hive_entry`. */
  enter: (functionId: number, pointer: number, length: number) => bigint
}

/** A way to run guests. Every engine gives the same outcome and the same gas. */
export interface Engine {
  /**
   * Instantiates a module that keeps the rules for guests.
   *
   * @param exact The run is repeated, so it must be metered exactly.
   * @throws {@link GuestFailure} for a module that is not valid or whose segments are out of bounds.
   */
  instantiate: (wasm: Uint8Array, gasLimit: number, host: HostFunctions, exact: boolean) => Instance
}

/** The exact gas or result of the run cannot be known: the run starts again, with exact metering. */
export class RepeatExactly extends Error {
  override readonly name = 'RepeatExactly'
}

/** Returns the result of `make`; an invalid module is a failure of the guest. */
export function orInvalid<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof WasmError) throw new GuestFailure(`invalid module: ${error.message}`)
    throw error
  }
}

export const packResult = (result: number | readonly [number, number] | undefined): bigint => {
  if (result === undefined) return 0n
  if (typeof result === 'number') return BigInt(result)
  return (BigInt(result[0]) << 32n) | BigInt(result[1])
}

/** Ways a guest can trap, in words that are the same on every engine. */
export const traps = {
  unreachable: 'unreachable',
  divideByZero: 'integer divide by zero',
  overflow: 'integer overflow',
  conversion: 'invalid conversion to integer',
  memory: 'memory access out of bounds',
  table: 'table access out of bounds',
  indirect: 'bad indirect call',
} as const

export const trap = (kind: string): GuestFailure => new GuestFailure(`trap: ${kind}`)
