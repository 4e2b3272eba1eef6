import { parentPort, workerData } from 'node:worker_threads'
import type { JobAnswer, JobMessage } from './background-thread.ts'
import { createJobs } from './jobs.ts'

const jobs = createJobs(workerData)

const answer = (message: JobAnswer): void => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, name, input }: JobMessage) => {
  try {
    answer({ id, result: Reflect.apply(jobs[name], null, input) })
  } catch (error) {
    answer({ id, error: error as Error })
  }
})
