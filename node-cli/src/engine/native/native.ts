import { type Engine, orInvalid } from '../host/instance.ts'
import { meterExactly } from '../metering/exact-module.ts'
import type { NanHandling } from '../metering/optimistic-body.ts'
import { ModuleCache } from '../module-cache.ts'
import { CompiledInstance } from './compiled-instance.ts'
import { CompiledModule, type ExactMeter } from './compiled-module.ts'

/** Bytes of the modules whose compiled forms are kept. */
const keptBytesMax = 32 * 1024 * 1024

/** V8 with exact metering only, done in a way of choice. */
export const nativeWith = (meter: ExactMeter): Engine =>
  engineOf(false, (wasm) => new CompiledModule(wasm, meter))

/** V8: at first for speed, with NaNs handled in a way of choice, and again with exact metering where that does not do. */
export const optimisticWith = (nans?: NanHandling): Engine =>
  engineOf(true, (wasm) => new CompiledModule(wasm, meterExactly, nans))

function engineOf(optimistic: boolean, read: (wasm: Uint8Array) => CompiledModule): Engine {
  const known = new ModuleCache<CompiledModule>(keptBytesMax)
  return {
    instantiate: (wasm, gasLimit, host, exact) =>
      orInvalid(() => {
        const module = known.get(wasm, () => read(wasm))
        const fast = optimistic && !exact ? module.optimistic() : null
        if (fast === null) return new CompiledInstance(module.exact(), gasLimit, host)
        return new CompiledInstance(fast, gasLimit, host, () => module.dropOptimistic())
      }),
  }
}

/** V8, with NaNs handled as the size of the module makes it cheaper. */
export const native: Engine = optimisticWith()
