import path from 'node:path'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { CommandError } from '../../scripts/command/errors.ts'
import { requiredSecrets } from '../hub-settings.ts'
import { bringUp, bringUpHidden, type UpOptions } from '../up.ts'
import { resourcesOf } from '../wrangler-config.ts'
import { type BackedDatabase, continueEvents, loadFile, runAll } from './database.ts'
import { loadObjects, readRelayers, relayersIn, resumeObjects } from './load-objects.ts'
import { backupFiles, type Manifest, readManifest } from './manifest.ts'
import { type ObjectPart, type Post, rebuildRounds } from './objects.ts'

export interface RestoreOptions {
  readonly up: UpOptions
  readonly folder: string
  /** Signs the operator in at an address of the hub. */
  readonly signIn: (url: string) => Promise<Post>
  readonly rpcUrls: readonly string[]
  /** Whether a hub answers at an address. */
  readonly isAnswering: (url: string) => Promise<boolean>
  readonly nowMs: number
}

/** Records of rounds that ended up to this many seconds before a backup may not have reached its database. */
export const recordSecs = 3_600

/**
 * Makes a network again in a fresh environment, whose buckets have what those of the lost one had. Rounds that ended after the backup come
 * from their records, and actions that were sent after it are found on the chain. @throws {@link CommandError}
 */
export async function restore({
  up,
  folder,
  signIn,
  rpcUrls,
  isAnswering,
  nowMs,
}: RestoreOptions): Promise<void> {
  const { environment, say, given } = up
  const manifest = await readManifest(folder)
  requireSameBuild(manifest, resourcesOf(environment).objectsTag)
  const missing = requiredSecrets(environment).filter(({ name }) => !given[name])
  if (missing.length > 0)
    throw new CommandError(
      `A restored network needs the secrets of the lost one. Give each in an environment variable of its name: ${missing.map(({ name }) => name).join(', ')}.`,
    )
  const file = path.join(folder, backupFiles.objects)
  requireKeys(await relayersIn(file), given)
  const domain = `https://${environment.domain}`
  if (
    (await isAnswering(domain)) &&
    !(await up.confirm(
      `A hub answers at ${domain}. Two hubs with the same keys send the same actions. Is the old hub stopped for good?`,
    ))
  )
    throw new CommandError(`Nothing was restored. Stop the hub that answers at ${domain} first.`)
  const relayers = await readRelayers({ file, block: manifest.block, rpcUrls, nowMs })
  const url = await bringUpHidden(up, async (database) => {
    say(`Loading the database of ${manifest.id}`)
    await loadDatabase(database, folder)
  })
  await restoreInto({ post: await signIn(url), manifest, folder, relayers, say })
  await bringUp(up)
}

/** Makes the database of a backup in an empty one. */
export async function loadDatabase(database: BackedDatabase, folder: string): Promise<void> {
  await loadFile(database, path.join(folder, backupFiles.database))
  await runAll(database, [continueEvents], path.join(folder, 'continue.sql'))
}

export interface RestoreIntoOptions {
  readonly post: Post
  readonly manifest: Manifest
  readonly folder: string
  readonly relayers: readonly ObjectPart[]
  readonly say: UpOptions['say']
}

/** Brings a hub that has the database of a backup, and that nobody else uses yet, to where the network was. */
export async function restoreInto({
  post,
  manifest,
  folder,
  relayers,
  say,
}: RestoreIntoOptions): Promise<void> {
  const reason = `Restored from ${manifest.id}.`
  const { written, skipped, failed } = await rebuildRounds(post, {
    since: manifest.begun_at - recordSecs,
    reason,
  })
  say(`Added ${written} rounds that ended after the backup`)
  if (failed.length > 0)
    throw new CommandError(
      `${failed.length} rounds could not be written, such as ${failed[0]}. Read the log of the hub.`,
    )
  if (skipped > 0)
    say(
      `${skipped} rounds wait for versions of projects that came after the backup: run \`npm run -s operator -- rebuild-rounds\` again when the index has caught up`,
    )
  await loadObjects(post, manifest.id, path.join(folder, backupFiles.objects), relayers)
  await resumeObjects(post, reason)
  say('Durable Objects go on where they were')
}

function requireSameBuild({ objects_tag }: Manifest, objectsTag: string): void {
  if (objects_tag !== objectsTag)
    throw new CommandError(
      `The backup has the form ${objects_tag} of Durable Objects, and this build writes ${objectsTag}. Check out the version that made it, restore, and then bring up the newer one.`,
    )
}

/** Only a hub that has a key can follow the transactions that this key has sent. */
function requireKeys(accounts: ReadonlySet<string>, given: UpOptions['given']): void {
  const { RELAYER_PRIVATE_KEY, ARBITER_PRIVATE_KEY, RELAYER_PREVIOUS_KEYS = '' } = given
  const keys = [RELAYER_PRIVATE_KEY, ARBITER_PRIVATE_KEY, ...RELAYER_PREVIOUS_KEYS.split(',')]
  const own = new Set<string>(keys.flatMap((key) => (key ? [evmAddress(key.trim())] : [])))
  const foreign = [...accounts].filter((account) => !own.has(account))
  if (foreign.length > 0)
    throw new CommandError(
      `The backup has actions of ${foreign.join(', ')}. Give the key as RELAYER_PRIVATE_KEY or ARBITER_PRIVATE_KEY, or among RELAYER_PREVIOUS_KEYS, separated by commas.`,
    )
}
