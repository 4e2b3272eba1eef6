import type { CopiedRows, CopyPage } from '../../durable-objects/object-copy.ts'
import type { ProjectCommitteesObject } from '../../durable-objects/project/object.ts'
import type { RelayerObject } from '../../durable-objects/relayer/object.ts'
import type { Env, Settings } from '../env.ts'
import { objectClient } from '../object-client.ts'
import { keyRing } from '../relayer/key-ring.ts'
import type { Services } from '../services.ts'
import { BackupStore } from '../stores/backups.ts'

/** An object that a backup has: what it knows of money or order is nowhere else. */
export interface CopiedObject {
  dump(cursor: string | null): Promise<CopyPage>
  load(backup: string, rows: CopiedRows): Promise<boolean>
  /** Goes to work after a backup was loaded. False if it has rows that no backup gave it. */
  resume(): Promise<boolean>
}

type Hub = { env: Env; settings: Settings; services: Pick<Services, 'store'> }

const relayerMethods = ['dump', 'load', 'resume', 'publishAgain', 'revisionsSince'] as const
const projectMethods = ['dump', 'load', 'resume', 'openRoundIds', 'queuedTasks'] as const

/** The objects of the keys of this hub, by their names. */
export const relayersOf = (env: Env, settings: Settings) => {
  const { relayer, previous, arbiter } = keyRing(settings)
  return [relayer, ...previous, arbiter]
    .flatMap((key) => (key === null ? [] : [key]))
    .map(({ objectName }) => ({
      name: `relayer ${objectName}`,
      client: objectClient<Pick<RelayerObject, (typeof relayerMethods)[number]>>(
        'The relayer',
        () => env.RELAYER.getByName(objectName),
        relayerMethods,
      ),
    }))
}

export const projectOf = (env: Env, projectId: string) =>
  objectClient<Pick<ProjectCommitteesObject, (typeof projectMethods)[number]>>(
    'The object of the project',
    () => env.PROJECT_COMMITTEES.getByName(projectId),
    projectMethods,
  )

const directOrder = 'direct-order'
const ofProject = 'project '

/** Null for the name of another object. */
export const projectIdOf = (name: string): string | null =>
  name.startsWith(ofProject) ? name.slice(ofProject.length) : null

/** At most `limit` names after `after`, in their order: keys, the order of direct rounds, projects. Empty after the last one. */
export async function namesAfter(
  { env, settings, services }: Hub,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const single = [...relayersOf(env, settings).map(({ name }) => name), directOrder]
  const known = after === null ? -1 : single.indexOf(after)
  const last = after === null ? null : projectIdOf(after)
  if (last === null && known + 1 < single.length) return single.slice(known + 1).slice(0, limit)
  const ids = await services.store(BackupStore).projectIdsAfter(last ?? '', limit)
  return ids.map((id) => `${ofProject}${id}`)
}

/** The object of a name; null if this hub has none. */
export function objectOf({ env, settings, services }: Hub, name: string): CopiedObject | null {
  const projectId = projectIdOf(name)
  if (projectId !== null) {
    const project = projectOf(env, projectId)
    return {
      ...project,
      async resume() {
        const store = services.store(BackupStore)
        const [ended, endedIds] = await Promise.all([
          store.endedRounds(projectId),
          project.openRoundIds().then((ids) => store.endedOf(ids)),
        ])
        return project.resume(projectId, ended, endedIds)
      },
    }
  }
  if (name === directOrder)
    return {
      ...objectClient<Omit<CopiedObject, 'resume'>>(
        'The order of direct rounds',
        () => env.DIRECT_ORDER.getByName('direct'),
        ['dump', 'load'],
      ),
      resume: async () => true,
    }
  return relayersOf(env, settings).find((one) => one.name === name)?.client ?? null
}
