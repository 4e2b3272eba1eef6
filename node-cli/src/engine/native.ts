import { checkGuest, guestImports } from '../../../protocol/wasm/guest.ts'
import { WasmError } from '../../../protocol/wasm/reader.ts'
import { executeOn } from './call.ts'
import {
  type ExecutionRequest,
  type ExecutionResult,
  GuestFailure,
  NodeFault,
  outOfGas,
  type Surroundings,
  stackLimit,
} from './execution.ts'
import { type Engine, type HostFunctions, type Instance, packed, trap, traps } from './instance.ts'
import { meterExports, meterModule, stopped } from './meter.ts'
import { startExport } from './rewrite-module.ts'
import { stackUnits } from './stack-cost.ts'

type Exports = Readonly<Record<string, unknown>>

/** V8's own object, which the project's types have no browser library to name. */
const {
  Module,
  Instance: NativeInstance,
  RuntimeError,
} = (globalThis as unknown as { WebAssembly: WebAssemblyNamespace }).WebAssembly

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

class CompiledInstance implements Instance {
  readonly #exports: Exports
  readonly #fuel: Global<bigint>
  readonly #budget: Global<number>
  readonly #status: Global<number>
  readonly #gasLimit: number

  constructor(module: object, gasLimit: number, host: HostFunctions) {
    this.#gasLimit = gasLimit
    try {
      this.#exports = new NativeInstance(module, importsOf(host)).exports
    } catch (error) {
      throw error instanceof RuntimeError ? trap(trapKind(error.message)) : error
    }
    this.#status = this.#exports[meterExports.status] as Global<number>
    this.#budget = this.#exports[meterExports.budget] as Global<number>
    this.#fuel = this.#exports[meterExports.fuel] as Global<bigint>
    this.#fuel.value = BigInt(-gasLimit)
  }

  get gasUsed(): number {
    return Math.min(this.#gasLimit, this.#gasLimit + Number(this.#fuel.value))
  }

  charge(gas: number): boolean {
    const after = this.#fuel.value + BigInt(gas)
    if (after > 0n) return false
    this.#fuel.value = after
    return true
  }

  exhaust(): void {
    this.#fuel.value = 0n
  }

  memory(): Uint8Array {
    return new Uint8Array((this.#exports.memory as { buffer: ArrayBuffer }).buffer)
  }

  start(): void {
    if (this.#exports[startExport] !== undefined) this.#call(startExport, stackUnits)
  }

  allocate(bytes: number, within: boolean): number {
    const units = this.#budget.value
    const pointer = this.#call('__alloc', within ? units : stackUnits, bytes) as number
    // The caller goes on with the units it had.
    this.#budget.value = units
    return pointer
  }

  enter(functionId: number, pointer: number, length: number): bigint {
    return this.#call('__hive_entry', stackUnits, functionId, pointer, length) as bigint
  }

  #call(name: string, units: number, ...parameters: number[]): unknown {
    this.#budget.value = units
    try {
      return (this.#exports[name] as (...values: number[]) => unknown)(...parameters)
    } catch (error) {
      throw this.#explain(error as Error)
    }
  }

  /** What V8 threw, as the failure or the fault it is. */
  #explain(error: Error): Error {
    if (!(error instanceof RuntimeError)) return error
    switch (this.#status.value) {
      case stopped.outOfGas:
        return new GuestFailure(outOfGas)
      case stopped.stackLimit:
        return new GuestFailure(stackLimit)
      default:
        return trap(trapKind(error.message))
    }
  }
}

function importsOf(host: HostFunctions): Record<string, Record<string, unknown>> {
  const imports: Record<string, Record<string, unknown>> = {}
  for (const [full, { result }] of Object.entries(guestImports)) {
    const [module = '', name = ''] = full.split('.')
    const work = host[full]!
    imports[module] ??= {}
    imports[module][name] = result
      ? (...parameters: number[]) => packed(work(...parameters))
      : (...parameters: number[]) => void work(...parameters)
  }
  return imports
}

const trapKinds: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/unreachable/, traps.unreachable],
  [/by zero/, traps.divideByZero],
  [/divide result unrepresentable/, traps.overflow],
  [/float unrepresentable/, traps.conversion],
  [/memory access|data segment/, traps.memory],
  [/table|element segment/, traps.table],
  [/signature|null function|null reference|dereferencing/, traps.indirect],
]

/** Engines word their traps each in their own way, and some do not tell two of them apart. */
function trapKind(message: string): string {
  const known = trapKinds.find(([pattern]) => pattern.test(message))
  if (known === undefined) throw new NodeFault(`the engine trapped in a way that is not known: ${message}`)
  return known[1]
}

/** V8, with the way of metering given. */
export const nativeWith = (meter: Meter): Engine => ({
  instantiate(address, wasm, gasLimit, host) {
    let module: object
    try {
      module = compile(address, wasm, meter)
    } catch (error) {
      if (error instanceof WasmError) throw new GuestFailure(`invalid module: ${error.message}`)
      throw error
    }
    return new CompiledInstance(module, gasLimit, host)
  },
})

/** V8. */
export const native: Engine = nativeWith(meterModule)

/** Runs one function of a module on V8. Throws {@link NodeFault} for what is no answer of the guest. */
export const executeNative = (
  request: ExecutionRequest,
  surroundings: Surroundings,
  meter: Meter = meterModule,
): ExecutionResult => executeOn(nativeWith(meter), request, surroundings)
