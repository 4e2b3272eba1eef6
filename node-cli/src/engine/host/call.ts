import { isUtf8 } from 'node:buffer'
import {
  type ExecutionRequest,
  type ExecutionResult,
  GuestFailure,
  NodeFault,
  outOfGas,
  type StateReader,
} from '../execution.ts'
import { limits } from '../limits.ts'
import { GuestLog } from './guest-log.ts'
import { callErrors, Host } from './host.ts'
import { type Engine, type Instance, RepeatExactly } from './instance.ts'
import { Journal } from './journal.ts'

/** The engine, stored state and log that all calls of one run share. */
interface Run {
  readonly engine: Engine
  readonly state: StateReader
  readonly log: GuestLog
  /** The run is repeated, with exact metering. */
  readonly exact: boolean
}

/** One call of one function, with its journal and everything it calls in turn. */
class Call {
  readonly #request: ExecutionRequest
  readonly #run: Run
  readonly #journal: Journal
  readonly #depth: number
  #instance: Instance | undefined

  constructor(request: ExecutionRequest, run: Run, journal: Journal, depth: number) {
    this.#request = request
    this.#run = run
    this.#journal = journal
    this.#depth = depth
  }

  /** Of no meaning before {@link run} has ended. A module that is not valid uses none. */
  get gasUsed(): number {
    return this.#instance?.gasUsed ?? 0
  }

  /** @throws {@link GuestFailure}, {@link RepeatExactly}, or anything else for a fault of the node. */
  run(): Uint8Array {
    const { address, wasm, gasLimit, functionId, input } = this.#request
    const { engine, log, exact } = this.#run
    try {
      const host = new Host({
        address,
        journal: this.#journal,
        log,
        memory: () => this.#guest.memory(),
        charge: (gas) => this.#charge(gas),
        allocate: (bytes) => this.#guest.allocate(bytes, true),
        call: (callee, name, passed) => this.#callOther(callee, name, passed),
      })
      this.#instance = engine.instantiate(wasm, gasLimit, host.functions, exact)
      this.#guest.start()
      const pointer = input.length === 0 ? 0 : this.#place(input)
      return this.#output(this.#guest.enter(functionId, pointer, input.length))
    } catch (error) {
      if (error instanceof GuestFailure && error.message === outOfGas) this.#instance?.exhaust()
      throw error
    }
  }

  get #guest(): Instance {
    // Segments are copied by the engine, so no host function is called before the instance is there.
    if (this.#instance === undefined) throw new NodeFault('the guest called out before it was instantiated')
    return this.#instance
  }

  #place(input: Uint8Array): number {
    const pointer = this.#guest.allocate(input.length, false) >>> 0
    const memory = this.#guest.memory()
    if (pointer + input.length > memory.length) throw new GuestFailure('trap: pointer out of bounds')
    memory.set(input, pointer)
    return pointer
  }

  #output(result: bigint): Uint8Array {
    if (result < 0n) throw new GuestFailure(`guest returned error code ${result}`)
    const pointer = Number(result >> 32n)
    const length = Number(result & 0xffffffffn)
    const memory = this.#guest.memory()
    if (pointer + length > memory.length) throw new GuestFailure('trap: output out of bounds')
    if (length > limits.output) throw new GuestFailure('trap: output too large')
    const output = memory.slice(pointer, pointer + length)
    if (!isUtf8(output)) throw new GuestFailure('output is not valid UTF-8')
    return output
  }

  #charge(gas: number): void {
    if (!this.#guest.charge(gas)) throw new GuestFailure(outOfGas)
  }

  #callOther(address: string, name: string, input: Uint8Array): Uint8Array | number {
    if (this.#depth + 1 > limits.callDepth) return callErrors.tooDeep
    const module = this.#run.state.module(address)
    if (module === null) return callErrors.moduleNotFound
    const functionId = module.functions.indexOf(name)
    if (functionId < 0) return callErrors.functionNotFound
    const gasLimit = this.#request.gasLimit - this.#guest.gasUsed
    const journal = new Journal(this.#run.state, this.#journal)
    const request = { address, wasm: module.wasm, functionId, input, gasLimit }
    const call = new Call(request, this.#run, journal, this.#depth + 1)
    try {
      const output = call.run()
      this.#guest.charge(call.gasUsed)
      journal.commit()
      return output
    } catch (error) {
      if (!(error instanceof GuestFailure) || error.message === outOfGas) throw error
      this.#guest.charge(call.gasUsed)
      return callErrors.failed
    }
  }
}

/**
 * Runs one function of a module on an engine. Call it in a thread whose stack outlasts the guest's: see
 * {@link EngineThread}.
 *
 * @throws {@link NodeFault} for a failure that the guest did not cause.
 */
export function executeOn(engine: Engine, request: ExecutionRequest, state: StateReader): ExecutionResult {
  try {
    return attempt(request, { engine, state, log: new GuestLog(), exact: false })
  } catch (error) {
    if (!(error instanceof RepeatExactly)) throw error
    // The guest is deterministic and the first run leaves nothing behind, so nobody can tell that there were two. The whole
    // run is repeated, not the call alone: if calls were repeated within repeated calls, each level would double the runs.
    return attempt(request, { engine, state, log: new GuestLog(), exact: true })
  }
}

function attempt(request: ExecutionRequest, run: Run): ExecutionResult {
  const { lines: logs } = run.log
  const journal = new Journal(run.state)
  const call = new Call(request, run, journal, 0)
  try {
    const output = call.run()
    return {
      success: true,
      output,
      error: null,
      gasUsed: call.gasUsed,
      events: journal.events,
      writes: journal.writes(),
      logs,
    }
  } catch (error) {
    if (error instanceof NodeFault || error instanceof RepeatExactly) throw error
    if (!(error instanceof GuestFailure))
      throw new NodeFault(`the engine failed: ${(error as Error).message}`, { cause: error })
    const { gasUsed } = call
    return { success: false, output: null, error: error.message, gasUsed, events: [], writes: [], logs }
  }
}
