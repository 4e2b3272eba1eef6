import type { EngineChoice } from './engine-name.ts'
import type { ExecutionRequest, ExecutionResult, Surroundings } from './execution.ts'

const alone: Surroundings = { module: () => null, stored: () => null }

/**
 * Runs a function once, for a process that ends afterwards: a short run at once, a longer one in a thread that goes away
 * with it.
 *
 * @param dataDir Data directory whose modules and storage the run can reach; none for a run on its own.
 * @throws {@link NodeFault} when there is no answer of the guest.
 */
export async function runOnce(
  engine: EngineChoice,
  request: ExecutionRequest,
  dataDir: string | null,
  timeoutSeconds: number,
): Promise<ExecutionResult> {
  const store = dataDir === null ? null : (await import('../data-dir/store.ts')).openStore(dataDir)
  const surroundings = store?.surroundings() ?? alone
  try {
    if (engine !== 'native') {
      const { runShortly } = await import('./short-run.ts')
      const result = runShortly(request, surroundings)
      if (result !== null) return result
    }
    return await runInThread(engine, request, surroundings, timeoutSeconds)
  } finally {
    store?.close()
  }
}

async function runInThread(
  engine: EngineChoice,
  request: ExecutionRequest,
  surroundings: Surroundings,
  timeoutSeconds: number,
): Promise<ExecutionResult> {
  const { EngineThread } = await import('./engine-thread.ts')
  const thread = new EngineThread()
  try {
    return await thread.run(engine, request, surroundings, timeoutSeconds)
  } finally {
    // The answer waits for no thread: one that had to be stopped may still be busy.
    void thread.close()
  }
}
