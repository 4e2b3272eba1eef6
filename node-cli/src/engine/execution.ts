import type { ExecutionEvent } from '../../../protocol/execution/index.ts'

/** A module as a run needs it: its code, and the names of its functions in order. */
export interface CallableModule {
  readonly wasm: Uint8Array
  readonly functions: readonly string[]
}

/** The modules and the storage a run can reach. Both answer at once: a guest cannot wait. */
export interface StateReader {
  /** The module at an address, or null. */
  module: (address: string) => CallableModule | null
  /** The value that a module stores under a key (hex of its bytes), or null. */
  stored: (address: string, key: string) => Uint8Array | null
}

type MaybePromise<T> = T | Promise<T>

/**
 * The same with answers that may take their time, for a run in a thread. The answers must not change while the run goes
 * on, for it may ask again.
 */
export interface AsyncStateReader {
  /** A rejection ends the run as a fault of the node. */
  module: (address: string) => MaybePromise<CallableModule | null>
  stored: (address: string, key: string) => MaybePromise<Uint8Array | null>
}

/** Nothing is stored, and there is no other module. */
export const emptyState: StateReader = { module: () => null, stored: () => null }

/** A call for an engine to run. */
export interface ExecutionRequest {
  address: string
  wasm: Uint8Array
  /** Index of the function in the manifest. */
  functionId: number
  input: Uint8Array
  gasLimit: number
}

/** A key a run has written; null removes it. */
export interface StorageWrite {
  address: string
  /** Hex of the key's bytes. */
  key: string
  value: Uint8Array | null
}

export type ExecutionResult =
  | {
      success: true
      output: Uint8Array
      error: null
      gasUsed: number
      events: ExecutionEvent[]
      /** For one transaction, in order of first write, one per key. */
      writes: StorageWrite[]
      /** Lines of `console.log`, for the node's own log. */
      logs: string[]
    }
  | { success: false; output: null; error: string; gasUsed: number; events: []; writes: []; logs: string[] }

/** A fault of the node, not of the guest: there is no receipt for such a run. */
export class NodeFault extends Error {
  override readonly name = 'NodeFault'
}

/** Ends a run as failed; the text is the same on every engine. */
export class GuestFailure extends Error {
  override readonly name = 'GuestFailure'
}

export const outOfGas = 'out of gas'
export const stackLimit = 'stack limit exceeded'
