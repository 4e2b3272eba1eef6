import type { Wrangler } from './wrangler.ts'
import type { Resources } from './wrangler-config.ts'
import { emptyRule, lifecycleRule } from './wrangler-config.ts'
import { WranglerError } from './wrangler-error.ts'

/** The resources of an environment that an account has. */
export interface AccountState {
  readonly databaseId: string | null
  readonly buckets: ReadonlySet<string>
  readonly queues: ReadonlySet<string>
  readonly hasLifecycleRule: boolean
  /** Buckets whose files a rule of `remove` deletes, with all that is written later. */
  readonly emptied: ReadonlySet<string>
  /** Names of the secrets that the Worker has. */
  readonly secrets: ReadonlySet<string>
  readonly hasWorker: boolean
  /** The form of Durable Objects of the last version that `up` deployed; null before the first. */
  readonly objectsTag: string | null
  /** See {@link versionOf}. */
  readonly version: string | null
}

/** Reads what is there of an environment. It changes nothing. @throws WranglerError */
export async function readAccount(wrangler: Wrangler, resources: Resources): Promise<AccountState> {
  const { worker, database, payloadBucket, queues } = resources
  const buckets = new Set(
    [...(await wrangler(['r2', 'bucket', 'list'])).matchAll(/^name:\s+(\S+)$/gm)].map(([, name]) => name!),
  )
  const rules = new Map<string, string>()
  for (const bucket of resources.buckets.filter((name) => buckets.has(name)))
    rules.set(bucket, await wrangler(['r2', 'bucket', 'lifecycle', 'list', bucket]))
  const deployments = await readDeployments(wrangler, worker)
  return {
    databaseId: await readDatabaseId(wrangler, database),
    buckets,
    queues: await readQueues(wrangler, queues),
    hasLifecycleRule: rules.get(payloadBucket)?.includes(lifecycleRule.name) ?? false,
    emptied: new Set(
      [...rules].filter(([, text]) => text.includes(emptyRule.name)).map(([bucket]) => bucket),
    ),
    secrets: await readSecretNames(wrangler, worker),
    hasWorker: deployments !== null,
    objectsTag: tagOf(deployments ?? []),
    version: versionOf(deployments ?? []),
  }
}

/** The names of the queues of an account, from as many pages of them as it takes to find those that are wanted. */
async function readQueues(wrangler: Wrangler, wanted: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let page = 1; ; page++) {
    const before = found.size
    const table = await wrangler(['queues', 'list', '--page', String(page)])
    for (const [, name] of table.matchAll(/^│ \S+ +│ (\S+) +│/gm)) found.add(name!)
    if (found.size === before || wanted.every((name) => found.has(name))) return found
  }
}

/** The id of a database; null if the account has none of this name. */
export async function readDatabaseId(wrangler: Wrangler, database: string): Promise<string | null> {
  const all = JSON.parse(await wrangler(['d1', 'list', '--json'])) as { name: string; uuid: string }[]
  return all.find(({ name }) => name === database)?.uuid ?? null
}

/** The names of the secrets that a Worker has. */
export async function readSecretNames(wrangler: Wrangler, worker: string): Promise<ReadonlySet<string>> {
  const answer = await unlessAbsent(wrangler(['secret', 'list', '--name', worker, '--format', 'json']))
  return new Set((JSON.parse(answer ?? '[]') as { name: string }[]).map(({ name }) => name))
}

/** The message of a deployment begins with the tag of its Durable Object classes. */
export const deploymentMessage = ({ objectsTag }: Resources, commit: string): string =>
  `${objectsTag} ${commit}`

export interface Deployment {
  readonly created_on: string
  readonly annotations?: Record<string, string>
  readonly versions: readonly { readonly version_id: string; readonly percentage: number }[]
}

/** The deployments of a Worker, newest first; null if there is no such Worker. */
export async function readDeployments(wrangler: Wrangler, worker: string): Promise<Deployment[] | null> {
  const answer = await unlessAbsent(wrangler(['deployments', 'list', '--name', worker, '--json']))
  if (answer === null) return null
  return (JSON.parse(answer) as Deployment[]).toSorted((a, b) => (a.created_on < b.created_on ? 1 : -1))
}

/** The version that had all traffic last: an `up` that was killed leaves it with one that nobody has checked. Null if there is no Worker. */
export function versionOf(deployments: readonly Deployment[]): string | null {
  const whole = deployments.find(({ versions }) => versions.length === 1) ?? deployments[0]
  return whole?.versions[0]?.version_id ?? null
}

/** The settings of a version, by name. */
export async function readVars(
  wrangler: Wrangler,
  { worker }: Resources,
  version: string,
): Promise<Readonly<Record<string, string>>> {
  const answer = await wrangler(['versions', 'view', version, '--name', worker, '--json'])
  const { bindings } = (
    JSON.parse(answer) as {
      resources: { bindings: readonly { type: string; name: string; text?: string }[] }
    }
  ).resources
  return Object.fromEntries(
    bindings.flatMap(({ type, name, text = '' }) => (type === 'plain_text' ? [[name, text]] : [])),
  )
}

export interface Version {
  readonly id: string
  readonly annotations?: Record<string, string>
  readonly metadata: { readonly created_on: string }
}

/** The newest versions of a Worker, whether or not they have traffic. */
export const readVersions = async (wrangler: Wrangler, worker: string): Promise<Version[]> =>
  JSON.parse(await wrangler(['versions', 'list', '--name', worker, '--json'])) as Version[]

/** When a version was made. wrangler lists a few versions only: an older one is as old as its first deployment, or older. */
export const madeOn = (
  id: string,
  versions: readonly Version[],
  deployments: readonly Deployment[],
): string =>
  versions.find((one) => one.id === id)?.metadata.created_on ??
  deployments.findLast((one) => one.versions.some(({ version_id }) => version_id === id))?.created_on ??
  ''

/** The tag of the newest deployment that has a message; a change of secrets makes one without. */
const tagOf = (deployments: readonly Deployment[]): string | null =>
  deployments.flatMap(({ annotations }) => annotations?.['workers/message'] ?? [])[0]?.split(' ')[0] ?? null

/** The output of a call; null if the account has nothing of that name. */
export async function unlessAbsent(answer: Promise<string>): Promise<string | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof WranglerError && error.isAbsence) return null
    throw error
  }
}
