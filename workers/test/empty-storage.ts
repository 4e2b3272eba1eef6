import { reset, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { budgets } from '../middleware/budgets.ts'
import { takeUsed } from './used-objects.ts'

const sharedBudgets = Object.entries(budgets)
  .filter(([, budget]) => 'total' in budget)
  .map(([name]) => `${name}:everybody`)

/**
 * Deletes what is stored, the schema of the database too. A reset passes over what workerd has dropped from memory,
 * objects without a call for ten seconds, so those are woken first. The rate limiter has many objects: only those of budgets
 * that all callers share are woken, since no two files call from one address or with one key.
 */
export async function emptyStorage(): Promise<void> {
  await Promise.all([
    forgetBytes(),
    env.ROUNDS.list({ limit: 1 }),
    ...takeUsed().map(wake),
    ...sharedBudgets.map((key) => wake(env.RATE_LIMITER.getByName(key))),
  ])
  // Last, because waking many objects may take as long.
  await env.DB.prepare('SELECT name FROM sqlite_master LIMIT 1').run()
  await reset()
  // Forgets the objects that were made again to be emptied.
  takeUsed()
}

/** Takes what is stored out of the cache too, where nothing else says what there is. */
async function forgetBytes(): Promise<void> {
  const { objects } = await env.MODULES.list()
  const paths = objects.map(({ key }) => {
    const [folder, name] = key.split('/')
    return folder === 'modules' ? `/v1/modules/${name}/hbc` : `/v1/assets/${name}`
  })
  await Promise.all(paths.map((path) => caches.default.delete(new URL(path, env.BASE_URL))))
}

const wake = (stub: DurableObjectStub): Promise<void> => runInDurableObject(stub, () => {})
