import { readGuest } from '../../../../protocol/wasm/guest.ts'
import type { NanHandling } from '../metering/optimistic-body.ts'
import { meterOptimistically } from '../metering/optimistic-module.ts'
import { V8LimitExceeded } from '../metering/v8-limit.ts'
import { rulesFirst } from '../validation/valid-guest.ts'
import { hasSimd, noSimd } from './simd.ts'
import { webAssembly } from './web-assembly.ts'

/** Rewrites a module so that it counts its gas exactly; see {@link meterExactly}. */
export type ExactMeter = (wasm: Uint8Array) => Uint8Array

/** One form of a module, compiled. */
export interface CompiledForm {
  readonly module: object
  /** A run that does not succeed, or that traps, has to be repeated. */
  readonly optimistic: boolean
  readonly observesNan: boolean
}

/** The forms of a module that keeps the rules for guests, each compiled when it is asked for first. */
export class CompiledModule {
  readonly #wasm: Uint8Array
  readonly #meter: ExactMeter
  readonly #nans: NanHandling | undefined
  /** null when this form is of no use. */
  #optimistic: CompiledForm | null | undefined
  /** An error when the module is beyond V8. */
  #exact: CompiledForm | V8LimitExceeded | undefined

  /**
   * @param nans How the form that is metered for speed handles NaNs; what its size makes cheaper when left out.
   * @throws {@link WasmError} for a module that breaks the rules.
   */
  constructor(wasm: Uint8Array, meter: ExactMeter, nans?: NanHandling) {
    readGuest(wasm)
    this.#wasm = wasm
    this.#meter = meter
    this.#nans = nans
  }

  /** The form that is metered for speed, or null. @throws {@link WasmError} for a module that is not valid. */
  optimistic(): CompiledForm | null {
    if (this.#optimistic === undefined) {
      const form = orBeyond(() => {
        const metered = rulesFirst(this.#wasm, () => meterOptimistically(this.#wasm, this.#nans))
        return metered && compile(metered.wasm, true, metered.observesNan)
      })
      if (form instanceof V8LimitExceeded) this.#exact = form
      this.#optimistic = form instanceof V8LimitExceeded ? null : form
    }
    return this.#optimistic
  }

  /** Runs of the optimistic form had to be repeated, and others are likely to be. */
  dropOptimistic(): void {
    this.#optimistic = null
  }

  /** @throws {@link WasmError} for a module that is not valid, {@link V8LimitExceeded} for one that is beyond V8. */
  exact(): CompiledForm {
    if (this.#exact === undefined) {
      this.#exact = orBeyond(() => {
        const metered = rulesFirst(this.#wasm, () => this.#meter(this.#wasm))
        return compile(metered, false, false) ?? refused()
      })
    }
    if (this.#exact instanceof V8LimitExceeded) throw this.#exact
    return this.#exact
  }
}

/** Without SIMD there is no interpreter either. */
const refused = (): V8LimitExceeded =>
  new V8LimitExceeded(
    hasSimd()
      ? 'the module is beyond the limits of the native engine; the interpreter can run it'
      : noSimd().message,
  )

/** The form that `make` makes, or the reason why V8 gets none of the module: it is the same for each run. */
function orBeyond<T>(make: () => T): T | V8LimitExceeded {
  try {
    return make()
  } catch (error) {
    if (error instanceof V8LimitExceeded) return error
    throw error
  }
}

/** Compiles one form of a module; null when V8 refuses it. */
function compile(wasm: Uint8Array, optimistic: boolean, observesNan: boolean): CompiledForm | null {
  try {
    return { module: new webAssembly.Module(wasm), optimistic, observesNan }
  } catch (error) {
    if (error instanceof webAssembly.CompileError) return null
    throw error
  }
}
