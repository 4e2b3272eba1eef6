import { checkGuest, guestImports } from '../../../../protocol/wasm/guest.ts'
import { WasmError } from '../../../../protocol/wasm/reader.ts'
import { GuestFailure, NodeFault, outOfGas, stackLimit } from '../execution.ts'
import {
  type Engine,
  type HostFunctions,
  type Instance,
  packed,
  RepeatExactly,
  trap,
  traps,
} from '../host/instance.ts'
import { meterExactly } from '../metering/exact-module.ts'
import { meterExports, stopped } from '../metering/meter-state.ts'
import { meterOptimistically } from '../metering/optimistic-module.ts'
import { startExport } from '../metering/rewrite-module.ts'
import { ModuleCache } from '../module-cache.ts'
import { stackUnits } from '../validation/stack-cost.ts'

type Exports = Readonly<Record<string, unknown>>

/** V8's own object, which the project's types have no browser library to name. */
const {
  Module,
  Instance: NativeInstance,
  CompileError,
  RuntimeError,
} = (globalThis as unknown as { WebAssembly: WebAssemblyNamespace }).WebAssembly

interface WebAssemblyNamespace {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: Exports }
  CompileError: new () => Error
  RuntimeError: new () => Error
}

interface Global<T> {
  value: T
}

/** Writes a module so that it counts its gas; see {@link meterExactly}. */
export type Meter = (wasm: Uint8Array) => Uint8Array

/** One form of a module, compiled. */
interface Compiled {
  readonly module: object
  /** A run that does not succeed, or that traps, has to be repeated. */
  readonly optimistic: boolean
  readonly observesNan: boolean
}

/** The forms of a module, each made when it is asked for first. */
interface Forms {
  /** null when the fast form is of no use. */
  optimistic?: Compiled | null
  /** An error when V8 refuses the module. */
  exact?: Compiled | V8LimitExceeded
}

/** Thrown for a module that keeps the rules and is beyond one of V8's own limits. */
export class V8LimitExceeded extends NodeFault {}

const checkedForms = (wasm: Uint8Array): Forms => {
  checkGuest(wasm)
  return {}
}

/** Compiles one form of a module; null when V8 refuses it. */
function compile(form: { wasm: Uint8Array; observesNan: boolean }, optimistic: boolean): Compiled | null {
  try {
    return { module: new Module(form.wasm), optimistic, observesNan: form.observesNan }
  } catch (error) {
    if (error instanceof CompileError) return null
    throw error
  }
}

function optimisticForm(forms: Forms, wasm: Uint8Array): Compiled | null {
  if (forms.optimistic === undefined) {
    const metered = meterOptimistically(wasm)
    forms.optimistic = metered && compile(metered, true)
  }
  return forms.optimistic
}

function exactForm(forms: Forms, wasm: Uint8Array, meter: Meter): Compiled {
  forms.exact ??=
    compile({ wasm: meter(wasm), observesNan: false }, false) ??
    new V8LimitExceeded('the module is beyond the limits of the native engine; the interpreter can run it')
  if (forms.exact instanceof V8LimitExceeded) throw forms.exact
  return forms.exact
}

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
    if (error instanceof RepeatExactly) return error
    if (this.#status.value === stopped.noMemory) return new NodeFault('the machine has no memory left')
    if (optimistic && this.#status.value === stopped.repeat) {
      this.#worthless()
      return new RepeatExactly()
    }
    // A NaN that was not canonical may have led here.
    if (observesNan) return new RepeatExactly()
    if (!(error instanceof RuntimeError)) return error
    switch (this.#status.value) {
      case stopped.outOfGas:
        return new GuestFailure(outOfGas)
      case stopped.stackLimit:
        return new GuestFailure(stackLimit)
    }
    const kind = trapKind(error.message)
    // Only before an unreachable was the gas saved.
    return optimistic && kind !== traps.unreachable ? new RepeatExactly() : trap(kind)
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

/** Bytes of the modules whose compiled forms are kept. */
const keptBytesMax = 32 * 1024 * 1024

/** V8 with exact metering only, done in a way of choice. */
export function nativeWith(meter: Meter): Engine {
  const known = new ModuleCache<Forms>(keptBytesMax)
  return {
    instantiate: (wasm, gasLimit, host) =>
      instantiate(() => {
        const forms = known.get(wasm, () => checkedForms(wasm))
        return new CompiledInstance(exactForm(forms, wasm, meter), gasLimit, host, () => {})
      }),
  }
}

const known = new ModuleCache<Forms>(keptBytesMax)

/** V8: at first for speed, and again with exact metering where that does not do. */
export const native: Engine = {
  instantiate: (wasm, gasLimit, host, exact) =>
    instantiate(() => {
      const forms = known.get(wasm, () => checkedForms(wasm))
      const fast = exact ? null : optimisticForm(forms, wasm)
      if (fast !== null)
        return new CompiledInstance(fast, gasLimit, host, () => {
          forms.optimistic = null
        })
      return new CompiledInstance(exactForm(forms, wasm, meterExactly), gasLimit, host, () => {})
    }),
}
