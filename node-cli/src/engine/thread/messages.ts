import type { EngineChoice } from '../engine-name.ts'
import type { CallableModule, ExecutionRequest, ExecutionResult } from '../execution.ts'

/** What a thread is made with. */
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

/** What a run needs from outside: a module, or what a module keeps under a key (hex of its bytes). */
export type Question =
  | { readonly module: string }
  | { readonly stored: { readonly address: string; readonly key: string } }

export type Answer = { readonly value: CallableModule | Uint8Array | null } | { readonly fault: string }

/** What a thread says: a question in between, then the end of the run. */
export type ThreadMessage =
  | { readonly question: Question }
  | { readonly result: ExecutionResult }
  | { readonly fault: string }
