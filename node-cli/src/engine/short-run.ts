import { executeOn } from './call.ts'
import type { ExecutionRequest, ExecutionResult, Surroundings } from './execution.ts'
import { pulleyWith } from './interpreter/pulley.ts'

/** Above this a module takes longer to check and translate than a thread to start. */
const bytesMax = 256 * 1024

/**
 * Runs a function to its end when that takes a few milliseconds, in this thread: starting one for the guest costs ten
 * times as much. The interpreter needs no stack of the thread and comes back after every slice of work, so it is safe
 * where a compiled guest is not.
 *
 * @returns null for a run that is longer, nests deeper than this thread's stack, or fails through no fault of the guest;
 * nothing of it is left, and it has to be done again in a thread of its own.
 */
export function runShortly(request: ExecutionRequest, surroundings: Surroundings): ExecutionResult | null {
  if (request.wasm.length > bytesMax) return null
  const longer = pulleyWith(() => {
    throw new Error('the run is longer than a slice')
  })
  try {
    return executeOn(longer, request, surroundings)
  } catch {
    return null
  }
}
