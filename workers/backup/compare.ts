import type { QueuedTask } from '../../durable-objects/project/copy.ts'
import type { Env, Settings } from '../env.ts'
import type { Services } from '../services.ts'
import { BackupStore } from '../stores/backups.ts'
import { partsOf } from '../stores/statements.ts'
import { namesAfter, projectIdOf, projectOf, relayersOf } from './objects.ts'

/** How many records of an object the database lacks, or has in an older revision. */
export interface Difference {
  readonly object: string
  readonly what: 'actions' | 'queued_tasks'
  readonly count: number
}

interface Hub {
  readonly env: Env
  readonly settings: Settings
  readonly services: Pick<Services, 'store' | 'tasks'>
}

const objectsMax = 20

/**
 * Compares the next objects with a database that was set back to an earlier moment.
 * @param since - That moment, in Unix seconds. @param isRepaired - Has the database told what it lacks; done again it changes nothing.
 */
export async function compareObjects(hub: Hub, after: string | null, since: number, isRepaired: boolean) {
  const names = await namesAfter(hub, after, objectsMax)
  const found = await Promise.all(
    names.map(
      (name) => compareProject(hub, name, isRepaired) ?? compareRelayer(hub, name, since, isRepaired),
    ),
  )
  return { differences: found.filter(({ count }) => count > 0), last: names.at(-1) ?? null }
}

async function compareRelayer(
  { env, settings, services }: Hub,
  object: string,
  since: number,
  isRepaired: boolean,
): Promise<Difference> {
  const client = relayersOf(env, settings).find(({ name }) => name === object)?.client
  const known = (await client?.revisionsSince(since)) ?? []
  const outdated = await services.store(BackupStore).outdated(structuredClone(known))
  if (isRepaired && outdated.length > 0) await client?.publishAgain(since)
  return { object, what: 'actions', count: outdated.length }
}

/** Null for an object of no project. */
function compareProject(
  { env, services }: Hub,
  object: string,
  isRepaired: boolean,
): Promise<Difference> | null {
  const projectId = projectIdOf(object)
  if (projectId === null) return null
  return (async () => {
    let count = 0
    const queued: QueuedTask[] = structuredClone(await projectOf(env, projectId).queuedTasks())
    for (const part of partsOf(queued, (task) => JSON.stringify(task).length)) {
      const noted = await services.store(BackupStore).notedTasks(part.map(({ taskId }) => taskId))
      const missing = part.filter(({ taskId }) => !noted.has(taskId))
      count += missing.length
      if (isRepaired) await services.tasks.queue(missing.map((task) => ({ ...task, projectId })))
    }
    return { object, what: 'queued_tasks', count }
  })()
}
