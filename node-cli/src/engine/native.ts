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
import { type Engine, type HostFunctions, type Instance, packed, RunAgain, trap, traps } from './instance.ts'
import { meterExports, meterModule, stopped } from './meter.ts'
import { meterOptimistically } from './optimistic.ts'
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

/** One form of a module, compiled. */
interface Compiled {
  readonly module: object
  /** A run that does not succeed, or that traps, has to be repeated. */
  readonly optimistic: boolean
  readonly observesNan: boolean
}

interface Known {
  optimistic: Compiled | null | undefined
  exact: Compiled | undefined
}

const known = new Map<string, Known>()
const knownMax = 64

/** The forms of a module that were compiled; those of the last modules used are kept by their address. */
function formsOf(address: string, wasm: Uint8Array): Known {
  let forms = known.get(address)
  if (forms !== undefined) return forms
  checkGuest(wasm)
  forms = { optimistic: undefined, exact: undefined }
  if (known.size >= knownMax) known.delete(known.keys().next().value!)
  known.set(address, forms)
  return forms
}

function compileOptimistically(wasm: Uint8Array): Compiled | null {
  const metered = meterOptimistically(wasm)
  if (metered === null) return null
  return { module: new Module(metered.wasm), optimistic: true, observesNan: metered.observesNan }
}

const compileExactly = (wasm: Uint8Array, meter: Meter): Compiled => ({
  module: new Module(meter(wasm)),
  optimistic: false,
  observesNan: false,
})

class CompiledInstance implements Instance {
  readonly #exports: Exports
  readonly #fuel: Global<bigint>
  readonly #budget: Global<number>
  readonly #status: Global<number>
  readonly #gasLimit: number
  readonly #compiled: Compiled
  readonly #worthless: () => void

  /** @param worthless Called when a NaN made the run one of no worth: others of the module are likely to be the same. */
  constructor(compiled: Compiled, gasLimit: number, host: HostFunctions, worthless: () => void) {
    this.#gasLimit = gasLimit
    this.#compiled = compiled
    this.#worthless = worthless
    try {
      this.#exports = new NativeInstance(compiled.module, importsOf(host)).exports
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
    const { optimistic, observesNan } = this.#compiled
    if (error instanceof RunAgain) return error
    if (optimistic && this.#status.value === stopped.again) {
      this.#worthless()
      return new RunAgain()
    }
    // A NaN that was not canonical may have led here.
    if (observesNan) return new RunAgain()
    if (!(error instanceof RuntimeError)) return error
    switch (this.#status.value) {
      case stopped.outOfGas:
        return new GuestFailure(outOfGas)
      case stopped.stackLimit:
        return new GuestFailure(stackLimit)
    }
    const kind = trapKind(error.message)
    // Only before an unreachable was the gas saved.
    return optimistic && kind !== traps.unreachable ? new RunAgain() : trap(kind)
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

/** Makes an instance of a module that keeps the rules, or fails as the guest does when it does not. */
function instantiate(make: () => Instance): Instance {
  try {
    return make()
  } catch (error) {
    if (error instanceof WasmError) throw new GuestFailure(`invalid module: ${error.message}`)
    throw error
  }
}

/** V8 with exact metering only, done in a way of choice. */
export const nativeWith = (meter: Meter): Engine => ({
  instantiate: (address, wasm, gasLimit, host) =>
    instantiate(() => {
      const forms = formsOf(`${meter.name} ${address}`, wasm)
      forms.exact ??= compileExactly(wasm, meter)
      return new CompiledInstance(forms.exact, gasLimit, host, () => {})
    }),
})

/** V8: at first for speed, and again with exact metering where that does not do. */
export const native: Engine = {
  instantiate: (address, wasm, gasLimit, host, exact) =>
    instantiate(() => {
      const forms = formsOf(address, wasm)
      if (!exact)
        forms.optimistic = forms.optimistic === undefined ? compileOptimistically(wasm) : forms.optimistic
      if (!exact && forms.optimistic)
        return new CompiledInstance(forms.optimistic, gasLimit, host, () => {
          forms.optimistic = null
        })
      forms.exact ??= compileExactly(wasm, meterModule)
      return new CompiledInstance(forms.exact, gasLimit, host, () => {})
    }),
}

/** Runs one function of a module on V8. Throws {@link NodeFault} for what is no answer of the guest. */
export const executeNative = (
  request: ExecutionRequest,
  surroundings: Surroundings,
  meter?: Meter,
): ExecutionResult => executeOn(meter === undefined ? native : nativeWith(meter), request, surroundings)
