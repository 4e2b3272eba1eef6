import { CommandError } from '../scripts/command/errors.ts'
import {
  type AccountState,
  deploymentMessage,
  readAccount,
  readDatabaseId,
  readDeployments,
  versionOf,
} from './account.ts'
import { type BackedDatabase, hasNoTables } from './backup/database.ts'
import { type Finding, newProblems, problemText, requireNone } from './check.ts'
import type { Environment } from './environment.ts'
import { requiredSecrets } from './hub-settings.ts'
import { planOf, planText } from './plan.ts'
import { planSecrets, putSecrets, secretList } from './secrets.ts'
import { giveTraffic, type Wrangler } from './wrangler.ts'
import {
  emptyRule,
  lifecycleRule,
  type Resources,
  resourcesOf,
  writeWranglerConfig,
} from './wrangler-config.ts'

export interface UpOptions {
  readonly environment: Environment
  readonly wrangler: Wrangler
  readonly say: (line: string) => void
  /** Asks before a step that cannot be taken back. */
  readonly confirm: (question: string) => Promise<boolean>
  /** Tells versions apart. */
  readonly commit: string
  /** Values of secrets that an operator gives, by name. */
  readonly given: Readonly<Record<string, string | undefined>>
  /** Checks a deployed hub. @param headers - Choose its version. @param isNew - Its domain may not lead there yet, which is waited for. */
  readonly check: (
    url: string,
    headers: Record<string, string>,
    isNew: boolean,
  ) => Promise<readonly Finding[]>
}

/** Shares of the traffic that a new version takes, one after another, each followed by a check. */
const shares = [10, 50, 100]

/**
 * Makes an account match its environment. Each step looks at the present state, so a run that was interrupted is repeated from its
 * beginning. @throws {@link CommandError} with the steps that have to be done first, or the failure.
 */
export async function bringUp(options: UpOptions): Promise<void> {
  const prepared = await prepare(options)
  await setSecrets(options, prepared)
  await migrate(options, prepared)
  await deployWorker(options, prepared)
  options.say(`The hub answers at https://${options.environment.domain}.`)
}

/**
 * Makes all resources of an account that has none of this environment but buckets, fills the database, and deploys the Worker where nobody
 * else finds it, so that it works on nothing yet. @returns Its address. @throws {@link CommandError}
 */
export async function bringUpHidden(
  options: UpOptions,
  fill: (database: BackedDatabase) => Promise<void>,
): Promise<string> {
  const { environment, wrangler, say, commit } = options
  const prepared = await prepare(options, true)
  const { resources, account, config } = prepared
  const database = { wrangler, name: resources.database, place: ['--remote', '--config', config] }
  const isFresh = account.databaseId === null || (await hasNoTables(database))
  if (account.hasWorker || !isFresh)
    throw new CommandError(
      `The environment ${environment.name} is in use: its ${account.hasWorker ? 'Worker' : 'database'} is there. A backup is restored into a fresh one: name another environment, or delete Worker and database of this one with \`npx wrangler delete --name ${resources.worker}\` and \`npx wrangler d1 delete ${resources.database}\`, which leave its buckets.`,
    )
  await fill(database)
  await setSecrets(options, prepared, options.given)
  await migrate(options, prepared)
  say('Deploying the Worker without its domain, so that nobody else calls it')
  const message = deploymentMessage(resources, commit)
  const deployed = await wrangler(['deploy', '--config', config, '--message', message])
  const url = /https:\/\/\S+\.workers\.dev/.exec(deployed)?.[0]
  if (url === undefined)
    throw new CommandError(
      `wrangler names no address of workers.dev. Register a subdomain for the account.\n${deployed}`,
    )
  return url
}

interface Prepared {
  readonly resources: Resources
  readonly account: AccountState
  /** The configuration of wrangler. */
  readonly config: string
}

async function prepare(options: UpOptions, isHidden = false): Promise<Prepared> {
  const { environment, wrangler } = options
  const plan = planOf(environment, null)
  if (plan.missing.length > 0 || plan.problems.length > 0)
    throw new CommandError(`This environment cannot be deployed.\n${planText({ ...plan, rows: [] })}`)
  const resources = resourcesOf(environment)
  const account = await readAccount(wrangler, resources)
  await createResources(options, resources, account)
  const databaseId = account.databaseId ?? (await readDatabaseId(wrangler, resources.database))
  if (databaseId === null)
    throw new CommandError(`The database ${resources.database} was created, and is not listed.`)
  return { resources, account, config: writeWranglerConfig(environment, databaseId, isHidden) }
}

async function createResources({ wrangler, say }: UpOptions, resources: Resources, account: AccountState) {
  const { database, buckets, queues, payloadBucket } = resources
  const create = async (what: string, exists: boolean, args: readonly string[]) => {
    if (exists) return
    say(`Creating ${what}`)
    await wrangler(args)
  }
  await create(`the database ${database}`, account.databaseId !== null, ['d1', 'create', database])
  for (const bucket of buckets)
    await create(`the bucket ${bucket}`, account.buckets.has(bucket), ['r2', 'bucket', 'create', bucket])
  for (const bucket of account.emptied) {
    say(`Removing the rule ${emptyRule.name} of ${bucket}, by which \`remove\` empties it`)
    await wrangler(['r2', 'bucket', 'lifecycle', 'remove', bucket, '--name', emptyRule.name])
  }
  const { name, prefix, expireDays } = lifecycleRule
  await create(`the rule ${name} of ${payloadBucket}`, account.hasLifecycleRule, [
    ...['r2', 'bucket', 'lifecycle', 'add', payloadBucket, name, prefix],
    ...['--expire-days', String(expireDays), '--force'],
  ])
  for (const queue of queues)
    await create(`the queue ${queue}`, account.queues.has(queue), ['queues', 'create', queue])
}

async function setSecrets(
  { environment, wrangler, say, given: all }: UpOptions,
  { resources: { worker }, account: { secrets } }: Prepared,
  given = requiredOf(environment, all),
): Promise<void> {
  const { values, notes, missing } = planSecrets(environment, {
    present: secrets,
    rotate: null,
    given,
    isKept: false,
  })
  if (missing.length > 0)
    throw new CommandError(
      `Secrets are missing. Give each in an environment variable of its name:\n${secretList(missing)}`,
    )
  if (notes.length === 0) return
  for (const note of notes) say(`Secret ${note}`)
  await putSecrets(wrangler, worker, values)
}

/** `up` sets nothing that the hub does without, whatever variables there are. */
const requiredOf = (environment: Environment, given: UpOptions['given']): UpOptions['given'] =>
  Object.fromEntries(requiredSecrets(environment).map(({ name }) => [name, given[name]]))

async function migrate(
  { wrangler, say, confirm }: UpOptions,
  { resources: { database }, config }: Prepared,
): Promise<void> {
  const target = [database, '--remote', '--config', config]
  const open = [...(await wrangler(['d1', 'migrations', 'list', ...target])).matchAll(/\b\d{4}_\w+\.sql\b/g)]
  if (open.length === 0) return
  const { bookmark } = JSON.parse(
    await wrangler(['d1', 'time-travel', 'info', database, '--json', '--config', config]),
  ) as { bookmark: string }
  say(`The database can be taken back to the bookmark ${bookmark}`)
  const names = open.map(([name]) => name)
  if (!(await confirm(`Apply ${names.length} migrations, from ${names[0]} to ${names.at(-1)}?`)))
    throw new CommandError('Nothing was migrated or deployed.')
  await wrangler(['d1', 'migrations', 'apply', ...target])
  say(`Applied ${names.length} migrations`)
}

/** A version with other classes of Durable Objects takes all traffic at once, as the platform wants it; every other in steps. */
async function deployWorker(
  { environment, wrangler, say, commit, check }: UpOptions,
  { resources, account: { objectsTag }, config }: Prepared,
): Promise<void> {
  const message = deploymentMessage(resources, commit)
  const url = `https://${environment.domain}`
  if (objectsTag !== resources.objectsTag) {
    say('Deploying the Worker')
    await wrangler(['deploy', '--config', config, '--message', message])
    return requireNone(await check(url, {}, true))
  }
  say('Uploading a new version of the Worker')
  const uploaded = await wrangler(['versions', 'upload', '--config', config, '--message', message])
  const version = /Version ID:\s*(\S+)/i.exec(uploaded)?.[1]
  if (version === undefined) throw new CommandError(`wrangler names no version:\n${uploaded}`)
  const before = versionOf((await readDeployments(wrangler, resources.worker)) ?? [])!
  // An upload leaves domain, schedule and consumers of queues as they are.
  await wrangler(['triggers', 'deploy', '--config', config])
  const checkVersion = (id: string, isNew: boolean) =>
    check(url, { 'Cloudflare-Workers-Version-Overrides': `${resources.worker}="${id}"` }, isNew)
  const found = await checkVersion(before, false)
  let old: readonly Finding[] = []
  const give = (parts: readonly string[]) => giveTraffic(wrangler, resources.worker, parts, message)
  for (const share of shares) {
    const parts = [`${version}@${share}%`, ...(share < 100 ? [`${before}@${100 - share}%`] : [])]
    await give(parts)
    say(`The new version takes ${share} % of the traffic`)
    try {
      const findings = await checkVersion(version, true)
      requireNone(findings, found)
      old = newProblems(findings)
    } catch (error) {
      await give([`${before}@100%`])
      say('The version before has all traffic again')
      throw error
    }
  }
  if (old.length > 0)
    throw new CommandError(
      `The new version has all traffic. The hub still has problems:\n${problemText(old)}`,
    )
}
