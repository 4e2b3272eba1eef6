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
/** For as long; a thread takes some ten megabytes. */
let idleMs = 60_000
/** The one that is used next stands last, so that those that are not needed grow old. */
const idle: IdleThread[] = []

interface IdleThread {
  readonly thread: EngineThread
  /** Ends it. */
  readonly clock: NodeJS.Timeout
}

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
  const thread = takeIdle() ?? startThread()
  try {
    return await thread.run(engine, request, state, bounds)
  } finally {
    if (!thread.ended && idle.length < idleMax) keepIdle(thread)
    // The answer waits for no thread: one that had to be stopped may still be busy.
    else void thread.close()
  }
}

/** @param ms after which one that is not used ends; left out, as it was. */
export function keepIdleThreads(count: number, ms: number = idleMs): void {
  idleMax = count
  idleMs = ms
}

function takeIdle(): EngineThread | undefined {
  const found = idle.pop()
  clearTimeout(found?.clock)
  return found?.thread
}

function keepIdle(thread: EngineThread): void {
  const clock = setTimeout(() => {
    idle.splice(idle.indexOf(kept), 1)
    void thread.close()
  }, idleMs).unref()
  const kept = { thread, clock }
  idle.push(kept)
}

function startThread(): EngineThread {
  try {
    return new EngineThread()
  } catch (error) {
    throw new NodeFault(`no thread can be started for the run: ${(error as Error).message}`)
  }
}

export async function closeIdleThreads(): Promise<void> {
  await Promise.all(
    idle.splice(0).map(({ thread, clock }) => {
      clearTimeout(clock)
      return thread.close()
    }),
  )
}
