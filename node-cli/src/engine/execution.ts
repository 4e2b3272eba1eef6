import type { ExecutionEvent } from '../../../protocol/execution/index.ts'

/** The modules and the storage a run can reach. Both answer at once: a guest cannot wait. */
export interface Surroundings {
  /** The module at an address, or null. */
  module: (address: string) => { wasm: Uint8Array; functions: readonly string[] } | null
  /** What a module keeps under a key (hex of its bytes), or null. */
  stored: (address: string, key: string) => Uint8Array | null
}

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
      writes: StorageWrite[]
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
