import type { EngineChoice } from './engine-name.ts'
import { EngineThread } from './engine-thread.ts'
import type { ExecutionRequest, ExecutionResult, Surroundings } from './execution.ts'

const alone: Surroundings = { module: () => null, stored: () => null }

/**
 * Runs a function once, in a thread of its own that ends with it.
 *
 * @param dataDir Data directory whose modules and storage the run can reach; none for a run on its own.
 * @throws {@link NodeFault} when there is no answer of the guest.
 */
export async function runInWorker(
  engine: EngineChoice,
  request: ExecutionRequest,
  dataDir: string | null,
  timeoutSeconds: number,
): Promise<ExecutionResult> {
  const store = dataDir === null ? null : (await import('../data-dir/store.ts')).openStore(dataDir)
  const thread = new EngineThread()
  try {
    return await thread.run(engine, request, store?.surroundings() ?? alone, timeoutSeconds)
  } finally {
    await thread.close()
    store?.close()
  }
}
