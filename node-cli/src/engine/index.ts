/**
 * The execution engine: runs one function of a module with exact gas, in a thread with a capped stack, capped memory and
 * a clock. It keeps nothing: storage is read through the request, and what a run writes comes back for the caller to
 * commit together with the receipt.
 *
 * @example
 * ```ts
 * const ran = await execute({
 *   engine: 'native',
 *   wasm,
 *   manifest,
 *   function: 'greet',
 *   input: new TextEncoder().encode('Ada'),
 *   gasLimit: 1_000_000,
 *   storage: { get: () => null },
 * })
 * if (ran.success) console.log(new TextDecoder().decode(ran.output), ran.gas_used)
 * ```
 */

import { hexToBytes } from '../../../protocol/encoding/index.ts'
import { deriveModuleAddress, type ExecutionEvent } from '../../../protocol/execution/index.ts'
import type { EngineChoice } from './engine-name.ts'
import { type AsyncSurroundings, EngineThread } from './engine-thread.ts'
import { limits } from './limits.ts'

export { type EngineChoice, type EngineName, engineNames } from './engine-name.ts'
export { NodeFault } from './execution.ts'
export { limits } from './limits.ts'

type MaybePromise<T> = T | Promise<T>

/** A module as a run needs it: its code, and the names of its functions in order. */
export interface EngineModule {
  readonly wasm: Uint8Array
  readonly manifest: { readonly functions: readonly string[] }
}

/** What modules keep, as it was when the run began. It must not change while a run reads it: a key may be asked for again. */
export interface EngineStorage {
  get: (moduleAddress: string, key: Uint8Array) => MaybePromise<Uint8Array | null>
}

export interface ExecuteRequest extends EngineModule {
  /** `auto` is right unless an operator asked for one of the two engines; outcome and gas are the same on both. */
  readonly engine: EngineChoice
  /** The module's address, where the caller has verified it; derived from manifest and code otherwise. */
  readonly moduleAddress?: string
  readonly function: string
  readonly input: Uint8Array
  readonly gasLimit: number
  readonly storage: EngineStorage
  /**
   * Finds modules for `hive.call`; null for an address that no module has. A rejection ends the run as a fault of the
   * node. Left out, no module is found.
   */
  readonly resolveModule?: (address: string) => MaybePromise<EngineModule | null>
  /** Wall-clock limit; 60 when left out. Gas does not bound time. */
  readonly timeoutSeconds?: number
}

/** A key that the run wrote; a null value removes it. */
export interface StorageChange {
  readonly module_address: string
  readonly key: Uint8Array
  readonly value: Uint8Array | null
}

export type ExecuteResult =
  | {
      readonly success: true
      readonly output: Uint8Array
      readonly error: null
      readonly gas_used: number
      readonly events: readonly ExecutionEvent[]
      /** For one transaction, in order of first write, one per key. */
      readonly storage_changes: readonly StorageChange[]
      /** Lines of `console.log`, for the node's own log. */
      readonly logs: readonly string[]
    }
  | {
      readonly success: false
      readonly output: null
      /** Stable text, the same on both engines. */
      readonly error: string
      readonly gas_used: number
      readonly events: readonly []
      readonly storage_changes: readonly []
      readonly logs: readonly string[]
    }

/** Thrown for a request that is refused before anything runs. */
export class ExecutionRefused extends Error {
  override readonly name = 'ExecutionRefused'
  readonly reason: 'gas_limit' | 'input' | 'function'

  constructor(reason: 'gas_limit' | 'input' | 'function', message: string) {
    super(message)
    this.reason = reason
  }
}

/** Threads kept warm for the next runs; starting one takes tens of milliseconds. */
const idleMax = 2
const idle: EngineThread[] = []

/**
 * Runs one function of a module. As many runs as there are calls take place at once; bound them outside.
 *
 * @throws {@link ExecutionRefused} for a request outside the limits; {@link NodeFault} for what is no answer of the
 * guest: the clock, a lack of memory, or a callee that could not be looked up. There is no receipt for such a run.
 */
export async function execute(request: ExecuteRequest): Promise<ExecuteResult> {
  const { engine, wasm, manifest, input, gasLimit, timeoutSeconds = 60 } = request
  if (!Number.isSafeInteger(gasLimit) || gasLimit < 1 || gasLimit > limits.gas)
    throw new ExecutionRefused('gas_limit', `the gas limit must be a whole number from 1 to ${limits.gas}`)
  if (input.length > limits.input)
    throw new ExecutionRefused('input', `the input is larger than ${limits.input} bytes`)
  const functionId = manifest.functions.indexOf(request.function)
  if (functionId < 0)
    throw new ExecutionRefused('function', `function '${request.function}' is not exported by this module`)
  const address = request.moduleAddress ?? deriveModuleAddress(manifest, wasm)

  const thread = idle.pop() ?? new EngineThread()
  try {
    const ran = await thread.run(
      engine,
      { address, wasm, functionId, input, gasLimit },
      surroundingsOf(request),
      timeoutSeconds,
    )
    const { logs, gasUsed: gas_used } = ran
    if (!ran.success)
      return {
        success: false,
        output: null,
        error: ran.error,
        gas_used,
        events: [],
        storage_changes: [],
        logs,
      }
    const storage_changes = ran.writes.map(({ address: module_address, key, value }) => ({
      module_address,
      key: hexToBytes(`0x${key}`),
      value,
    }))
    return {
      success: true,
      output: ran.output,
      error: null,
      gas_used,
      events: ran.events,
      storage_changes,
      logs,
    }
  } finally {
    if (!thread.ended && idle.length < idleMax) idle.push(thread)
    // The answer waits for no thread: one that had to be stopped may still be busy.
    else void thread.close()
  }
}

/** Ends the threads that are kept warm. */
export async function closeEngines(): Promise<void> {
  await Promise.all(idle.splice(0).map((thread) => thread.close()))
}

function surroundingsOf({ storage, resolveModule }: ExecuteRequest): AsyncSurroundings {
  return {
    module: async (address) => {
      const found = (await resolveModule?.(address)) ?? null
      return found === null ? null : { wasm: found.wasm, functions: found.manifest.functions }
    },
    stored: (address, key) => storage.get(address, hexToBytes(`0x${key}`)),
  }
}
