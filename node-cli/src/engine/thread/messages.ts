import type { EngineChoice } from '../engine-name.ts'
import type { CallableModule, ExecutionRequest, ExecutionResult } from '../execution.ts'

/** The data with which a thread is started. */
export interface ThreadData {
  /** One 32-bit number: 1 when an answer lies in the port. The thread sleeps on it, for a guest cannot wait otherwise. */
  readonly signal: SharedArrayBuffer
  readonly answers: import('node:worker_threads').MessagePort
}

/** A run to do. */
export interface ThreadRun {
  readonly engine: EngineChoice
  readonly request: ExecutionRequest
}

/** A question of a run: for a module, or for the value that a module stores under a key (hex of its bytes). */
export type Question =
  | { readonly module: string }
  | { readonly stored: { readonly address: string; readonly key: string } }

export type Answer = { readonly value: CallableModule | Uint8Array | null } | { readonly fault: string }

/** A message of a thread: a question during the run, then its result or fault. */
export type ThreadMessage =
  | { readonly question: Question }
  | { readonly result: ExecutionResult }
  | { readonly fault: string }
