import type { RoundsNetwork } from '../../chaos/rounds/network.ts'
import { endOfTask, submitTask } from '../../chaos/rounds/tasks.ts'
import { isOver } from '../../tools/task/follow.ts'
import type { EndedTask } from './ended-tasks.ts'

export interface SteadyTasks {
  /** Tells these tasks from others. */
  readonly label: string
  readonly tasks: number
  /** Tasks a second. */
  readonly rate: number
  /** Is told when a task is submitted and when it is over. */
  readonly onTask?: (index: number, isOver: boolean) => void
}

/**
 * Submits tasks to all projects in turn, each at its time, whether or not those before it have ended. Each caller waits for
 * the result in the request that submits.
 *
 * @returns Each task when it is over, and by how many milliseconds the latest submission missed its time.
 */
export async function runSteadily(
  network: RoundsNetwork,
  { label, tasks, rate, onTask = () => {} }: SteadyTasks,
): Promise<{ ended: EndedTask[]; lateMs: number }> {
  const { projects } = network
  const finish = async (index: number): Promise<EndedTask> => {
    const input = `${label} ${index}`
    const submittedMs = performance.now()
    onTask(index, false)
    const first = await submitTask(network, projects[index % projects.length]!, input, input, '?wait=30')
    const task = isOver(first) ? first : await endOfTask(network, first.task_id)
    onTask(index, true)
    return { task, input, ms: performance.now() - submittedMs }
  }
  const begunMs = performance.now()
  const running: Promise<EndedTask>[] = []
  let lateMs = 0
  for (let index = 0; index < tasks; index += 1) {
    const dueMs = begunMs + (index / rate) * 1_000
    const pauseMs = dueMs - performance.now()
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    lateMs = Math.max(lateMs, performance.now() - dueMs)
    running.push(finish(index))
  }
  return { ended: await Promise.all(running), lateMs }
}
