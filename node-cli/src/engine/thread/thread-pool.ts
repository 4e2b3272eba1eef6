import type { EngineChoice } from '../engine-name.ts'
import {
  type AsyncStateReader,
  type ExecutionRequest,
  type ExecutionResult,
  NodeFault,
} from '../execution.ts'
import { EngineThread, type RunBounds } from './engine-thread.ts'

/** Threads kept warm for the next runs; starting one takes tens of milliseconds. */
let idleMax = 2
const idle: EngineThread[] = []

/**
 * Runs a guest in a thread that is idle, or in a new one. As many run at once as there are calls.
 *
 * @throws {@link NodeFault} when there is no answer of the guest.
 */
export async function runInThread(
  engine: EngineChoice,
  request: ExecutionRequest,
  state: AsyncStateReader,
  bounds: RunBounds,
): Promise<ExecutionResult> {
  const thread = idle.pop() ?? startThread()
  try {
    return await thread.run(engine, request, state, bounds)
  } finally {
    if (!thread.ended && idle.length < idleMax) idle.push(thread)
    // The answer waits for no thread: one that had to be stopped may still be busy.
    else void thread.close()
  }
}

export function keepIdleThreads(count: number): void {
  idleMax = count
}

function startThread(): EngineThread {
  try {
    return new EngineThread()
  } catch (error) {
    throw new NodeFault(`no thread can be started for the run: ${(error as Error).message}`)
  }
}

export async function closeIdleThreads(): Promise<void> {
  await Promise.all(idle.splice(0).map((thread) => thread.close()))
}
