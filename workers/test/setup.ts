import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach } from 'vitest'
import { takeSeenAnswers } from './seen-answers.ts'

const isEmpty = async (): Promise<boolean> => {
  const table = await env.DB.prepare('SELECT name FROM sqlite_master LIMIT 1').first()
  const { objects } = await env.MODULES.list({ limit: 1 })
  return table === null && objects.length === 0
}

// Files run one after the other in one isolate; none finds what another has stored. After a file that took long, one
// reset was seen to leave the database as it was, and the next one to empty it.
do await reset()
while (!(await isEmpty()))
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)

// A task's meta is the one way from workerd to the Node side of the run.
afterEach(({ task }) => {
  const answers = takeSeenAnswers()
  if (answers.length > 0) task.meta.seenAnswers = answers
})
