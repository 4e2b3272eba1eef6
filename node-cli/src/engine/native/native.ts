import { WasmError } from '../../../../protocol/wasm/reader.ts'
import { GuestFailure } from '../execution.ts'
import type { Engine, Instance } from '../host/instance.ts'
import { meterExactly } from '../metering/exact-module.ts'
import type { NanHandling } from '../metering/optimistic-body.ts'
import { ModuleCache } from '../module-cache.ts'
import { CompiledInstance } from './compiled-instance.ts'
import { CompiledModule, type ExactMeter } from './compiled-module.ts'

/** Bytes of the modules whose compiled forms are kept. */
const keptBytesMax = 32 * 1024 * 1024

/** V8 with exact metering only, done in a way of choice. */
export function nativeWith(meter: ExactMeter): Engine {
  const known = new ModuleCache<CompiledModule>(keptBytesMax)
  return {
    instantiate: (wasm, gasLimit, host) =>
      orInvalid(() => {
        const module = known.get(wasm, () => new CompiledModule(wasm, meter))
        return new CompiledInstance(module.exact(), gasLimit, host)
      }),
  }
}

/** V8: at first for speed, with NaNs handled in a way of choice, and again with exact metering where that does not do. */
export function optimisticWith(nans?: NanHandling): Engine {
  const known = new ModuleCache<CompiledModule>(keptBytesMax)
  return {
    instantiate: (wasm, gasLimit, host, exact) =>
      orInvalid(() => {
        const module = known.get(wasm, () => new CompiledModule(wasm, meterExactly, nans))
        const fast = exact ? null : module.optimistic()
        if (fast === null) return new CompiledInstance(module.exact(), gasLimit, host)
        return new CompiledInstance(fast, gasLimit, host, () => module.dropOptimistic())
      }),
  }
}

/** V8, with NaNs handled as the size of the module makes it cheaper. */
export const native: Engine = optimisticWith()

/** Makes an instance of a module that keeps the rules, or fails as the guest does when it does not. */
function orInvalid(make: () => Instance): Instance {
  try {
    return make()
  } catch (error) {
    if (error instanceof WasmError) throw new GuestFailure(`invalid module: ${error.message}`)
    throw error
  }
}
