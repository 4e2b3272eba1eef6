import type { ExecutionRequest, ExecutionResult, StateReader } from './execution.ts'
import { executeOn } from './host/call.ts'
import type { Engine, HostFunction } from './host/instance.ts'
import { interpreterWith } from './interpreter/interpreter.ts'

/** Above this the modules of a run take longer to open, check and translate than a thread to start. */
const bytesMax = 256 * 1024

/**
 * Host functions that may be under way at once, each called by what the one before it runs. Each takes some kilobytes of
 * this thread's stack, and what V8 takes for the end of that stack is wrong where Node was started with `--stack-size`.
 */
const nestingMax = 32

/** An engine that gives up when host functions nest deeper, in all the instances of one run. */
function nestedAtMost(max: number, engine: Engine): Engine {
  let depth = 0
  const counted =
    (work: HostFunction): HostFunction =>
    (...parameters) => {
      if (depth === max) throw new Error('the run nests deeper than a short run')
      depth += 1
      try {
        // biome-ignore lint/plugin/noSpreadArguments: Its own parameters, passed on.
        return work(...parameters)
      } finally {
        depth -= 1
      }
    }
  return {
    instantiate: (wasm, gasLimit, host, exact) => {
      const functions = Object.entries(host).map(([name, work]) => [name, counted(work)] as const)
      return engine.instantiate(wasm, gasLimit, Object.fromEntries(functions), exact)
    },
  }
}

/**
 * Runs a function to its end when that takes a few milliseconds, in this thread: starting one for the guest costs ten
 * times as much. The interpreter needs no stack of the thread and comes back after every slice of work, so it is safe
 * where a compiled guest is not.
 *
 * @returns null for a run that is longer, nests deep through the host, or fails through no fault of the guest;
 * nothing of it is left, and it has to be done again in a thread of its own.
 */
export function runShortly(request: ExecutionRequest, state: StateReader): ExecutionResult | null {
  let bytesLeft = bytesMax - request.wasm.length
  if (bytesLeft < 0) return null
  const bounded: StateReader = {
    ...state,
    module: (address) => {
      const module = state.module(address)
      // Each call counts: what is called is opened and instantiated each time.
      bytesLeft -= module?.wasm.length ?? 0
      if (bytesLeft < 0) throw new Error('the modules are larger than those of a short run')
      return module
    },
  }
  const oneSlice = interpreterWith(() => {
    throw new Error('the run is longer than a slice')
  })
  try {
    return executeOn(nestedAtMost(nestingMax, oneSlice), request, bounded)
  } catch {
    return null
  }
}
