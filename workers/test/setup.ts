import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach } from 'vitest'
import { emptyStorage } from './empty-storage.ts'
import './late-modules.ts'
import { takeSeenAnswers } from './seen-answers.ts'

// Files run one after the other in one isolate; none finds what another has stored.
await emptyStorage()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)

// A task's meta is the one way from workerd to the Node side of the run.
afterEach(({ task }) => {
  const answers = takeSeenAnswers()
  if (answers.length > 0) task.meta.seenAnswers = answers
})
