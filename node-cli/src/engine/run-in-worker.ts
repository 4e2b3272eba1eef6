import { Worker } from 'node:worker_threads'
import type { EngineName } from './engine-name.ts'
import { type ExecutionRequest, type ExecutionResult, NodeFault } from './execution.ts'

/** Outlasts nine guests on top of each other, each at its own stack limit. */
const stackMegabytes = 64
/** JavaScript's own memory; the guest's is capped by its module. */
const heapMegabytes = 512

/**
 * Runs a function in a thread of its own, with a stack that outlasts the guest's and a clock that stops it: gas does not
 * bound time.
 *
 * @throws {@link NodeFault} when there is no answer of the guest.
 */
export function runInWorker(
  engine: EngineName,
  request: ExecutionRequest,
  dataDir: string | null,
  timeoutSeconds: number,
): Promise<ExecutionResult> {
  // From the sources the worker is a .ts file, in the published package it lies beside the other bundles.
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.mjs'
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: { engine, request, dataDir },
      resourceLimits: { stackSizeMb: stackMegabytes, maxOldGenerationSizeMb: heapMegabytes },
    })
    const clock = setTimeout(() => {
      reject(new NodeFault(`the run took longer than ${timeoutSeconds} s`))
      void worker.terminate()
    }, timeoutSeconds * 1000)
    worker.on('message', ({ result, fault }: { result?: ExecutionResult; fault?: string }) =>
      result === undefined ? reject(new NodeFault(fault ?? 'no answer')) : resolve(result),
    )
    worker.on('error', (error) => reject(new NodeFault(`the engine failed: ${error.message}`)))
    worker.on('exit', () => {
      clearTimeout(clock)
      reject(new NodeFault('the engine ended without an answer'))
    })
  })
}
