/**
 * The execution engine: runs one function of a module with exact gas. It keeps nothing: modules and storage are read
 * through the request, and what a run writes comes back for the caller to commit together with the receipt.
 *
 * @example
 * ```ts
 * const result = await execute({
 *   engine: 'auto',
 *   address,
 *   module: { wasm, functions: manifest.functions },
 *   function: 'greet',
 *   input: new TextEncoder().encode('Ada'),
 *   gasLimit: 1_000_000,
 * })
 * if (result.success) console.log(new TextDecoder().decode(result.output), result.gasUsed)
 * ```
 */

import type { EngineChoice } from './engine-name.ts'
import {
  type AsyncStateReader,
  type CallableModule,
  type ExecutionRequest,
  type ExecutionResult,
  emptyState,
  type StateReader,
} from './execution.ts'
import { limits } from './limits.ts'
import { runShortly } from './short-run.ts'

export { type EngineChoice, type EngineName, engineNames } from './engine-name.ts'
export {
  type AsyncStateReader,
  type CallableModule,
  type ExecutionResult,
  NodeFault,
  type StateReader,
  type StorageWrite,
} from './execution.ts'
export { limits } from './limits.ts'

export interface ExecuteRequest {
  /** `auto` is right unless an operator asked for one of the two engines; outcome and gas are the same on both. */
  readonly engine: EngineChoice
  /** The module's address, which the caller has verified. */
  readonly address: string
  readonly module: CallableModule
  readonly function: string
  readonly input: Uint8Array
  readonly gasLimit: number
  /** The storage and other modules that the run can reach; nothing when left out. */
  readonly state?: AsyncStateReader
  /** Wall-clock limit; 60 when left out. Gas does not bound time. */
  readonly timeoutSeconds?: number
  /** Ends the run, as the clock does. */
  readonly signal?: AbortSignal
}

/**
 * A run that its process waits for with nothing else to do. It begins in the calling thread, where a short one ends
 * before another thread would have started.
 */
export interface ForegroundRequest extends ExecuteRequest {
  readonly foreground: true
  readonly state?: StateReader
  /** Called when nothing more of the run happens in the calling thread: it has ended, or another thread begins it again. */
  readonly onLeft?: (() => void) | undefined
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

/**
 * Runs one function of a module. Every call runs at once, so the caller has to bound their number.
 *
 * @throws {@link ExecutionRefused} for a request outside the limits; {@link NodeFault} for a failure that the guest
 * did not cause: the clock, the signal, a lack of memory, or state that could not be read. There is no receipt for such a run.
 */
export async function execute(request: ExecuteRequest | ForegroundRequest): Promise<ExecutionResult> {
  const { engine, timeoutSeconds = 60, signal } = request
  const execution = executionOf(request)
  if ('foreground' in request) {
    const state = withItself(request.state ?? emptyState, request)
    const result = engine === 'native' ? null : runShortly(execution, state)
    request.onLeft?.()
    if (result !== null) return result
  }
  // A short run starts no thread.
  const { runInThread } = await import('./thread/thread-pool.ts')
  const state = withItself(request.state ?? emptyState, request)
  return runInThread(engine, execution, state, { timeoutSeconds, signal })
}

/**
 * The state of a run with the module that runs in it: a module can call itself wherever it runs, so that its receipt does
 * not depend on which modules the node has kept.
 */
function withItself(state: StateReader, own: OwnModule): StateReader
function withItself(state: AsyncStateReader, own: OwnModule): AsyncStateReader
function withItself(state: AsyncStateReader, { address, module }: OwnModule): AsyncStateReader {
  return {
    module: (asked) => (asked === address ? module : state.module(asked)),
    stored: (owner, key) => state.stored(owner, key),
  }
}

type OwnModule = Pick<ExecuteRequest, 'address' | 'module'>

/** Says how many threads are kept for the next runs; two when nothing is said. */
export async function keepThreads(count: number): Promise<void> {
  const { keepIdleThreads } = await import('./thread/thread-pool.ts')
  keepIdleThreads(count)
}

/** Ends the threads that are kept for the next runs. */
export async function closeThreads(): Promise<void> {
  const { closeIdleThreads } = await import('./thread/thread-pool.ts')
  await closeIdleThreads()
}

/** @throws {@link ExecutionRefused} */
function executionOf({ address, module, function: name, input, gasLimit }: ExecuteRequest): ExecutionRequest {
  if (!Number.isSafeInteger(gasLimit) || gasLimit < 1 || gasLimit > limits.gas)
    throw new ExecutionRefused('gas_limit', `the gas limit must be a whole number from 1 to ${limits.gas}`)
  if (input.length > limits.input)
    throw new ExecutionRefused('input', `the input is larger than ${limits.input} bytes`)
  const functionId = module.functions.indexOf(name)
  if (functionId < 0)
    throw new ExecutionRefused('function', `function '${name}' is not exported by this module`)
  return { address, wasm: module.wasm, functionId, input, gasLimit }
}
