import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { objectsVersion } from '../durable-objects/objects-version.ts'
import type { Environment } from './environment.ts'
import { hubVars } from './hub-settings.ts'

const developmentFile = 'wrangler.toml'

/** The parts of wrangler.toml that an environment has under names of its own. */
interface Development {
  name: string
  main: string
  compatibility_date: string
  d1_databases: { binding: string; database_name: string; database_id: string; migrations_dir: string }[]
  r2_buckets: { binding: string; bucket_name: string }[]
  queues: Queues
  migrations: { tag: string }[]
  assets: { directory: string }
}

interface Queues {
  producers: { queue: string }[]
  consumers: { queue: string; dead_letter_queue?: string }[]
}

const readDevelopment = () => parseToml(readFileSync(developmentFile, 'utf8')) as unknown as Development

export interface Resources {
  readonly worker: string
  readonly database: string
  readonly buckets: readonly string[]
  readonly queues: readonly string[]
  /** The bucket that a rule empties, see {@link lifecycleRule}. */
  readonly payloadBucket: string
  /** The form of Durable Objects: the last change of their classes, and the versions of their storage. */
  readonly objectsTag: string
}

/** Inputs and outputs are kept for some time, and records beside them for ever. */
export const lifecycleRule = { name: 'delete-payloads', prefix: 'payloads/', expireDays: 30 }

/** Deletes what is in a bucket within a day, because `remove` cannot delete a bucket that has something. */
export const emptyRule = { name: 'delete-everything', expireDays: 1 }

/** Resources that the development file names `hub-…` begin with the name of the environment instead. */
const renamed = (environment: string, name: string): string => `${environment}-${name.replace(/^hub-/, '')}`

export function resourcesOf({ name }: Pick<Environment, 'name'>): Resources {
  const { r2_buckets, queues, migrations } = readDevelopment()
  const queueNames = [...queues.producers, ...queues.consumers].flatMap((one) => [
    one.queue,
    ...('dead_letter_queue' in one ? [one.dead_letter_queue as string] : []),
  ])
  const rounds = r2_buckets.find(({ binding }) => binding === 'ROUNDS')!
  return {
    worker: name,
    database: name,
    buckets: r2_buckets.map(({ bucket_name }) => renamed(name, bucket_name)),
    queues: [...new Set(queueNames)].map((queue) => renamed(name, queue)),
    payloadBucket: renamed(name, rounds.bucket_name),
    objectsTag: `${migrations.at(-1)!.tag}.${objectsVersion}`,
  }
}

/** Queues that lose the messages that fail every attempt, and queues that nobody reads. */
export function queueProblems({ producers, consumers }: Queues = readDevelopment().queues): string[] {
  const keepers = new Set(consumers.map(({ dead_letter_queue }) => dead_letter_queue))
  const consumed = new Set(consumers.map(({ queue }) => queue))
  const file = `${developmentFile}: queues:`
  return [
    ...consumers
      .filter(({ queue, dead_letter_queue }) => dead_letter_queue === undefined && !keepers.has(queue))
      .map(({ queue }) => `${file} ${queue} has no dead_letter_queue: name one in its consumer`),
    ...[...producers.map(({ queue }) => queue), ...keepers]
      .filter((queue) => queue !== undefined && !consumed.has(queue))
      .map((queue) => `${file} nobody reads ${queue}: add a consumer of it`),
  ]
}

/**
 * The configuration of wrangler for an environment: wrangler.toml under names of its own. @param databaseId - Null before it exists.
 * @param isHidden - Answers only at an address of workers.dev, runs no schedule and reads no queue.
 */
function wranglerConfig(
  environment: Environment,
  databaseId: string | null,
  toRoot: string,
  isHidden = false,
) {
  const { name, account_id, domain } = environment
  const development = readDevelopment()
  const { d1_databases, r2_buckets, queues, assets, main, ...same } = development
  return {
    ...same,
    name,
    account_id,
    main: path.join(toRoot, main),
    routes: isHidden ? [] : [{ pattern: domain, custom_domain: true }],
    workers_dev: isHidden,
    ...(isHidden && { triggers: { crons: [] } }),
    preview_urls: true,
    observability: { enabled: true },
    vars: hubVars(environment),
    d1_databases: d1_databases.map((database) => ({
      ...database,
      database_name: name,
      database_id: databaseId ?? database.database_id,
      migrations_dir: path.join(toRoot, database.migrations_dir),
    })),
    r2_buckets: r2_buckets.map((bucket) => ({ ...bucket, bucket_name: renamed(name, bucket.bucket_name) })),
    queues: {
      producers: queues.producers.map((one) => ({ ...one, queue: renamed(name, one.queue) })),
      consumers: (isHidden ? [] : queues.consumers).map((one) => ({
        ...one,
        queue: renamed(name, one.queue),
        ...(one.dead_letter_queue !== undefined && {
          dead_letter_queue: renamed(name, one.dead_letter_queue),
        }),
      })),
    },
    assets: { ...assets, directory: path.join(toRoot, assets.directory) },
  }
}

/** Writes the configuration, which nobody edits. @returns Its path. */
export function writeWranglerConfig(
  environment: Environment,
  databaseId: string | null,
  isHidden = false,
): string {
  const folder = path.join('dist', 'deploy')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${environment.name}.json`)
  const config = wranglerConfig(environment, databaseId, path.relative(folder, '.'), isHidden)
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`)
  return file
}
