import { guestImports } from '../../../../protocol/wasm/guest.ts'
import { GuestFailure, NodeFault, outOfGas, stackLimit } from '../execution.ts'
import {
  type HostFunctions,
  type Instance,
  packResult,
  RepeatExactly,
  trap,
  traps,
} from '../host/instance.ts'
import { meterExports, stopped } from '../metering/meter-state.ts'
import { startExport } from '../metering/rewrite-module.ts'
import { stackUnits } from '../validation/stack-cost.ts'
import type { CompiledForm } from './compiled-module.ts'
import { trapKind } from './trap-kind.ts'
import { webAssembly } from './web-assembly.ts'

/** A global that is exported. */
interface Global<T> {
  value: T
}

/** A guest that V8 runs. */
export class CompiledInstance implements Instance {
  readonly #exports: Readonly<Record<string, unknown>>
  readonly #fuel: Global<bigint>
  readonly #budget: Global<number>
  readonly #status: Global<number>
  readonly #gasLimit: number
  readonly #form: CompiledForm
  readonly #foundNan: () => void

  /** @param foundNan Called when a NaN makes it necessary to repeat the run. */
  constructor(form: CompiledForm, gasLimit: number, host: HostFunctions, foundNan: () => void = () => {}) {
    this.#gasLimit = gasLimit
    this.#form = form
    this.#foundNan = foundNan
    try {
      this.#exports = new webAssembly.Instance(form.module, importsOf(host)).exports
    } catch (error) {
      throw error instanceof webAssembly.RuntimeError ? trap(trapKind(error.message)) : error
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
      // biome-ignore lint/plugin/noSpreadArguments: The parameters of one function, which the format bounds.
      return (this.#exports[name] as (...values: number[]) => unknown)(...parameters)
    } catch (error) {
      throw this.#explain(error as Error)
    }
  }

  /** Turns an error of V8 into the failure or fault that it stands for. */
  #explain(error: Error): Error {
    const { optimistic, observesNan } = this.#form
    if (error instanceof RepeatExactly) return error
    if (this.#status.value === stopped.noMemory) return new NodeFault('the machine has no memory left')
    if (optimistic && this.#status.value === stopped.repeat) {
      this.#foundNan()
      return new RepeatExactly()
    }
    // A NaN that was not canonical may have led here.
    if (observesNan) return new RepeatExactly()
    if (!(error instanceof webAssembly.RuntimeError)) return error
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
      ? // biome-ignore lint/plugin/noSpreadArguments: The parameters of one function, which the format bounds.
        (...parameters: number[]) => packResult(work(...parameters))
      : // biome-ignore lint/plugin/noSpreadArguments: The parameters of one function, which the format bounds.
        (...parameters: number[]) => void work(...parameters)
  }
  return imports
}
