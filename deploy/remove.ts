import { CommandError } from '../scripts/command/errors.ts'
import { readAccount, unlessAbsent } from './account.ts'
import type { Environment } from './environment.ts'
import type { Wrangler } from './wrangler.ts'
import { emptyRule, resourcesOf } from './wrangler-config.ts'
import { WranglerError } from './wrangler-error.ts'

export interface RemoveOptions {
  readonly environment: Environment
  readonly wrangler: Wrangler
  readonly say: (line: string) => void
  /** The text that the person types; null if nobody can be asked. */
  readonly ask: (question: string) => Promise<string | null>
}

/**
 * Removes all that `up` made of an environment, after its name was typed. It may be interrupted and repeated. The contracts stay on the
 * chain. @throws {@link CommandError}, also where a bucket is not empty yet.
 */
export async function removeAll({ environment, wrangler, say, ask }: RemoveOptions): Promise<void> {
  const resources = resourcesOf(environment)
  const account = await readAccount(wrangler, resources)
  const { worker, database } = resources
  const { hasWorker } = account
  const buckets = resources.buckets.filter((name) => account.buckets.has(name))
  const queues = resources.queues.filter((name) => account.queues.has(name))
  const all = [
    ...(hasWorker ? [`the Worker ${worker} with its Durable Objects and secrets`] : []),
    ...(account.databaseId === null ? [] : [`the database ${database}`]),
    ...buckets.map((name) => `the bucket ${name}`),
    ...queues.map((name) => `the queue ${name}`),
  ]
  if (all.length === 0) return say('Nothing of this environment is in the account.')
  say(
    `This deletes for ever, together with all backups in the account:\n${all.map((one) => `  ${one}`).join('\n')}`,
  )
  if ((await ask(`Type the name of the environment, ${environment.name}, to go on: `)) !== environment.name)
    throw new CommandError('Nothing was removed.')
  if (hasWorker) await unlessAbsent(wrangler(['delete', worker, '--force']))
  for (const queue of queues) await unlessAbsent(wrangler(['queues', 'delete', queue]))
  if (account.databaseId !== null) await unlessAbsent(wrangler(['d1', 'delete', database, '-y']))
  const full: string[] = []
  for (const bucket of buckets) {
    try {
      await unlessAbsent(wrangler(['r2', 'bucket', 'delete', bucket]))
    } catch (error) {
      if (!(error instanceof WranglerError && error.isNotEmpty)) throw error
      if (!account.emptied.has(bucket))
        await wrangler([
          ...['r2', 'bucket', 'lifecycle', 'add', bucket, emptyRule.name, ''],
          ...['--expire-days', String(emptyRule.expireDays), '--force'],
        ])
      full.push(bucket)
    }
  }
  if (full.length > 0)
    throw new CommandError(
      `${full.join(' and ')} cannot be deleted while they are not empty. A rule now deletes their files within a day or two; run this command again then. Everything else is deleted.`,
    )
  say('Everything is deleted.')
}
