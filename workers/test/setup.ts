import timers from 'node:timers'
import { afterAll, afterEach, type RunnerTask, vi } from 'vitest'
import '../../testing/wait-patiently.ts'
import { forgetAllowances } from '../middleware/allowances.ts'
import { forgetServices } from '../services.ts'
import { leaveAddress } from './client.ts'
import { emptyStorage } from './empty-storage.ts'
import './late-modules.ts'
import { beginMessages } from './own-messages.ts'
import { showLogged, takeLogged } from './quiet-console.ts'
import { createSchema } from './schema.ts'
import { takeSeenAnswers } from './seen-answers.ts'

// The runner's, in its place, looks at the stack of each call, to know its own; the hub limits every query with one.
globalThis.setTimeout = timers.setTimeout as unknown as typeof setTimeout

// Files run one after the other in one isolate; none finds what another has stored.
await emptyStorage()
forgetAllowances()
forgetServices()
leaveAddress()
await createSchema()
beginMessages()

// A task's meta is the one way from workerd to the Node side of the run.
afterEach(({ task }) => {
  const answers = takeSeenAnswers()
  if (answers.length > 0) task.meta.seenAnswers = answers
  const logged = takeLogged()
  if (task.result?.state === 'fail') showLogged(logged)
})

// Each file begins with the real time. Lines that failing hooks logged belong to no test, and are shown here.
// biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of fixtures here, and needs a pattern.
afterAll(({}, file) => {
  vi.useRealTimers()
  const logged = takeLogged()
  if (hasFailed(file)) showLogged(logged)
})

const hasFailed = (task: Readonly<RunnerTask>): boolean =>
  task.result?.state === 'fail' || ('tasks' in task && task.tasks.some(hasFailed))
