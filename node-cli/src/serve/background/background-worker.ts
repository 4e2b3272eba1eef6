/** The thread that {@link BackgroundThread} gives its jobs to. */
import { parentPort } from 'node:worker_threads'
import { jobs } from './jobs.ts'
import type { JobAnswer, JobMessage } from './messages.ts'

const answer = (message: JobAnswer): void => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, name, input }: JobMessage) => {
  try {
    answer({ id, result: (jobs[name] as (input: unknown) => unknown)(input) })
  } catch (error) {
    answer({ id, error: error as Error })
  }
})
