import { checkGuest, guestImports } from '../../../protocol/wasm/guest.ts'
import { WasmError } from '../../../protocol/wasm/reader.ts'
import {
  type ExecutionRequest,
  type ExecutionResult,
  GuestFailure,
  NodeFault,
  outOfGas,
  type Surroundings,
  stackLimit,
} from './execution.ts'
import { callFailures, type GuestInstance, Host } from './host.ts'
import { Journal } from './journal.ts'
import { limits } from './limits.ts'
import { meterExports, meterModule, stopped } from './meter.ts'
import { startExport } from './rewrite-module.ts'
import { stackUnits } from './stack-cost.ts'

type Exports = Readonly<Record<string, unknown>>

/** V8's own object, which the project's types have no browser library to name. */
const { Module, Instance, RuntimeError } = (globalThis as unknown as { WebAssembly: WebAssemblyNamespace })
  .WebAssembly

interface WebAssemblyNamespace {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: Exports }
  RuntimeError: new () => Error
}

interface Global<T> {
  value: T
}

/** Writes a module so that it counts its gas; see {@link meterModule}. */
export type Meter = (wasm: Uint8Array) => Uint8Array

const compiled = new Map<string, object>()
const compiledMax = 64

/** Compiles the metered form of a module; the last ones used are kept by their address. */
function compile(address: string, wasm: Uint8Array, meter: Meter): object {
  const key = `${meter.name} ${address}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  checkGuest(wasm)
  const module = new Module(meter(wasm))
  if (compiled.size >= compiledMax) compiled.delete(compiled.keys().next().value!)
  compiled.set(key, module)
  return module
}

/** What all calls of one run share. */
interface Run {
  surroundings: Surroundings
  meter: Meter
  logs: string[]
}

/** One call of one function, with its journal and everything it calls in turn. */
class Call {
  gasUsed = 0
  readonly journal: Journal
  readonly #request: ExecutionRequest
  readonly #run: Run
  readonly #depth: number
  #fuel!: Global<bigint>
  #budget!: Global<number>
  #status!: Global<number>
  #exports!: Exports

  constructor(request: ExecutionRequest, run: Run, journal: Journal, depth: number) {
    this.#request = request
    this.#run = run
    this.journal = journal
    this.#depth = depth
  }

  /** @throws {@link GuestFailure}; `gasUsed` is set in any case. */
  run(): Uint8Array {
    const { gasLimit, functionId, input } = this.#request
    try {
      this.#instantiate()
      this.#enter(startExport)
      const pointer = input.length === 0 ? 0 : this.#place(input)
      const result = this.#enter('__hive_entry', functionId, pointer, input.length) as bigint
      return this.#output(result)
    } catch (error) {
      throw this.#explain(error)
    } finally {
      this.gasUsed = this.#fuel === undefined ? 0 : Math.min(gasLimit, gasLimit + Number(this.#fuel.value))
    }
  }

  #instantiate(): void {
    const { address, wasm, gasLimit } = this.#request
    const module = compile(address, wasm, this.#run.meter)
    const { exports } = new Instance(module, this.#imports())
    this.#exports = exports
    this.#status = exports[meterExports.status] as Global<number>
    this.#budget = exports[meterExports.budget] as Global<number>
    this.#fuel = exports[meterExports.fuel] as Global<bigint>
    this.#fuel.value = BigInt(-gasLimit)
  }

  #imports(): Record<string, Record<string, unknown>> {
    const guest: GuestInstance = {
      address: this.#request.address,
      memory: () => this.#memory(),
      charge: (gas) => this.#charge(gas),
      allocate: (bytes) => this.#allocate(bytes),
      call: (address, name, input) => this.#callOther(address, name, input),
    }
    const host = new Host(guest, this.journal, this.#run.logs)
    const imports: Record<string, Record<string, unknown>> = {}
    for (const [full, { result }] of Object.entries(guestImports)) {
      const [module = '', name = ''] = full.split('.')
      const work = host.functions[full]!
      imports[module] ??= {}
      imports[module][name] = result
        ? (...parameters: number[]) => packed(work(...parameters) ?? 0)
        : (...parameters: number[]) => void work(...parameters)
    }
    return imports
  }

  /** Enters the guest from outside, with the whole stack. */
  #enter(name: string, ...parameters: number[]): unknown {
    const entry = this.#exports[name]
    if (entry === undefined) return undefined
    this.#budget.value = stackUnits
    return (entry as (...parameters: number[]) => unknown)(...parameters)
  }

  #place(input: Uint8Array): number {
    const pointer = (this.#enter('__alloc', input.length) as number) >>> 0
    const memory = this.#memory()
    if (pointer + input.length > memory.length) throw new GuestFailure('trap: pointer out of bounds')
    memory.set(input, pointer)
    return pointer
  }

  #output(result: bigint): Uint8Array {
    if (result < 0n) throw new GuestFailure(`guest returned error code ${result}`)
    const pointer = Number(result >> 32n)
    const length = Number(result & 0xffffffffn)
    const memory = this.#memory()
    if (pointer + length > memory.length) throw new GuestFailure('trap: output out of bounds')
    if (length > limits.output) throw new GuestFailure('trap: output too large')
    const output = memory.slice(pointer, pointer + length)
    try {
      strictText.decode(output)
    } catch {
      throw new GuestFailure('output is not valid UTF-8')
    }
    return output
  }

  #memory(): Uint8Array {
    return new Uint8Array((this.#exports.memory as { buffer: ArrayBuffer }).buffer)
  }

  #charge(gas: number): void {
    const after = this.#fuel.value + BigInt(gas)
    if (after > 0n) {
      this.#fuel.value = 0n
      throw new GuestFailure(outOfGas)
    }
    this.#fuel.value = after
  }

  /** Runs on the units the caller has left, and leaves them as they were. */
  #allocate(bytes: number): number {
    const units = this.#budget.value
    const pointer = (this.#exports.__alloc as (bytes: number) => number)(bytes)
    this.#budget.value = units
    return pointer
  }

  #callOther(address: string, name: string, input: Uint8Array): Uint8Array | number {
    if (this.#depth + 1 > limits.callDepth) return callFailures.tooDeep
    const module = this.#run.surroundings.module(address)
    if (module === null) return callFailures.moduleNotFound
    const functionId = module.functions.indexOf(name)
    if (functionId < 0) return callFailures.functionNotFound
    const left = Number(-this.#fuel.value)
    const journal = new Journal(this.#run.surroundings, this.journal)
    const request = { address, wasm: module.wasm, functionId, input, gasLimit: left }
    const call = new Call(request, this.#run, journal, this.#depth + 1)
    try {
      const output = call.run()
      journal.commit()
      this.#fuel.value += BigInt(call.gasUsed)
      return output
    } catch (error) {
      if (!(error instanceof GuestFailure)) throw error
      this.#fuel.value += BigInt(call.gasUsed)
      if (error.message === outOfGas) throw error
      return callFailures.failed
    }
  }

  /** What the engine threw, as the failure or the fault it is. */
  #explain(error: unknown): Error {
    if (error instanceof GuestFailure) {
      if (error.message === outOfGas && this.#fuel !== undefined) this.#fuel.value = 0n
      return error
    }
    if (error instanceof WasmError) return new GuestFailure(`invalid module: ${error.message}`)
    if (!(error instanceof RuntimeError))
      return new NodeFault(`the engine failed: ${(error as Error).message}`)
    switch (this.#status?.value) {
      case stopped.outOfGas:
        this.#fuel.value = 0n
        return new GuestFailure(outOfGas)
      case stopped.stackLimit:
        return new GuestFailure(stackLimit)
      default:
        return new GuestFailure(`trap: ${trapKind(error.message)}`)
    }
  }
}

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function packed(result: number | readonly [number, number]): bigint {
  if (typeof result === 'number') return BigInt(result)
  return (BigInt(result[0]) << 32n) | BigInt(result[1])
}

const trapKinds: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/unreachable/, 'unreachable'],
  [/by zero/, 'integer divide by zero'],
  [/divide result unrepresentable/, 'integer overflow'],
  [/float unrepresentable/, 'invalid conversion to integer'],
  [/memory access|data segment/, 'memory access out of bounds'],
  [/table|element segment/, 'table access out of bounds'],
  [/signature|null function|null reference|dereferencing/, 'bad indirect call'],
]

/** Engines word their traps each in their own way, and some do not tell two of them apart. */
const trapKind = (message: string): string =>
  trapKinds.find(([pattern]) => pattern.test(message))?.[1] ?? 'other'

/**
 * Runs one function of a module on V8. Call it in a thread whose stack outlasts the guest's: see {@link runInWorker}.
 *
 * @throws {@link NodeFault} for what is no answer of the guest.
 */
export function executeNative(
  request: ExecutionRequest,
  surroundings: Surroundings,
  meter: Meter = meterModule,
): ExecutionResult {
  const logs: string[] = []
  const journal = new Journal(surroundings)
  const call = new Call(request, { surroundings, meter, logs }, journal, 0)
  try {
    const output = call.run()
    const { gasUsed } = call
    return {
      success: true,
      output,
      error: null,
      gasUsed,
      events: journal.events,
      writes: journal.writes(),
      logs,
    }
  } catch (error) {
    if (!(error instanceof GuestFailure)) throw error
    return {
      success: false,
      output: null,
      error: error.message,
      gasUsed: call.gasUsed,
      events: [],
      writes: [],
      logs,
    }
  }
}
