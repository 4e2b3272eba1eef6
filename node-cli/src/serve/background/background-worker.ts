/** The thread that {@link BackgroundThread} gives its tasks to. */
import { parentPort } from 'node:worker_threads'
import type { TaskAnswer, TaskMessage } from './messages.ts'
import { tasks } from './tasks.ts'

const answer = (message: TaskAnswer): void => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, name, input }: TaskMessage) => {
  try {
    answer({ id, result: (tasks[name] as (input: unknown) => unknown)(input) })
  } catch (error) {
    answer({ id, error: error as Error })
  }
})
