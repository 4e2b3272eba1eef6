import { CommandError } from '../scripts/command/errors.ts'
import { type Deployment, madeOn, readDeployments, readVersions } from './account.ts'
import type { Environment } from './environment.ts'
import { isSecretChange } from './secrets.ts'
import { giveTraffic, type Wrangler } from './wrangler.ts'
import { resourcesOf } from './wrangler-config.ts'
import { WranglerError } from './wrangler-error.ts'

export interface RollbackOptions {
  readonly environment: Environment
  readonly wrangler: Wrangler
  readonly say: (line: string) => void
  readonly confirm: (question: string) => Promise<boolean>
  /** The version to return to; if left out, the previous one. */
  readonly version: string | undefined
  /** Checks the hub. @throws {@link CommandError} with the problems. */
  readonly check: (url: string) => Promise<void>
}

/**
 * Gives all traffic to an earlier version. The database stays as it is: migrations only add, so an earlier build finds what it knows.
 * Storage of Durable Objects that a later build has changed cannot be opened by an earlier one, which is refused; so is a version from before
 * a change of secrets, which has the old ones.
 * @throws {@link CommandError}
 */
export async function rollBack({
  environment,
  wrangler,
  say,
  confirm,
  version,
  check,
}: RollbackOptions): Promise<void> {
  const { worker } = resourcesOf(environment)
  const deployments = (await readDeployments(wrangler, worker)) ?? []
  const current = deployments[0]
  if (current === undefined) throw new CommandError(`There is no Worker ${worker}.`)
  const running = current.versions.map(({ version_id }) => version_id)
  // A version that shares the traffic can have all of it again, as after an `up` that was killed.
  const whole = running.length === 1 ? running[0] : undefined
  const earlier = deployments.flatMap((deployment, i) => {
    const [only, ...others] = deployment.versions
    if (only === undefined || others.length > 0 || only.version_id === whole) return []
    // A version has the secrets of its time.
    const changed = deployments.slice(0, i).findLast((later) => messageOf(later) === undefined)
    return [{ ...deployment, id: only.version_id, code: codeOf(deployments.slice(i)), changed }]
  })
  const code = codeOf(deployments)
  const target =
    version === undefined
      ? earlier.find((one) => one.changed === undefined || one.code !== code)
      : earlier.find(({ id }) => id === version)
  if (target === undefined)
    throw new CommandError(
      version === undefined
        ? 'No earlier version has ever had all traffic.'
        : `${version} has never had all traffic, or has it now. Versions that can have it again: ${earlier.map(({ id }) => id).join(', ') || 'none'}.`,
    )
  const tags = [code, target.code].map((message) => message?.split(' ')[0])
  if (tags[0] !== tags[1])
    throw new CommandError(
      `${target.id} (${tags[1] ?? 'not deployed by up'}) cannot open the storage of Durable Objects as ${running[0]} (${tags[0]}) writes it. Mend the fault in a new version, and run up.`,
    )
  const withOldSecrets = (change: string) =>
    new CommandError(
      `${target.id} (${target.code}) has the secrets from before ${change}. Check out ${target.code?.split(' ').slice(1).join(' ')}, and run up: it deploys that commit with the secrets of today.`,
    )
  const changedOn =
    target.changed?.created_on ?? (await idleChangeBetween(wrangler, worker, deployments, target.id, running))
  if (changedOn !== undefined) throw withOldSecrets(`the change of ${changedOn}`)
  say(
    `${running.join(' and ')} (${code ?? noMessage}) → ${target.id} (${target.code ?? noMessage}, deployed ${target.created_on})`,
  )
  if (!(await confirm('Give it all traffic?'))) throw new CommandError('Nothing was changed.')
  try {
    await giveTraffic(wrangler, worker, [`${target.id}@100%`], target.code ?? noMessage)
  } catch (error) {
    if (error instanceof WranglerError && error.isSecretChanged) throw withOldSecrets('a change')
    throw error
  }
  await check(`https://${environment.domain}`)
  say(`${target.id} has all traffic.`)
}

/** When secrets were changed, without a deployment, after a version was made and before the running ones were. */
async function idleChangeBetween(
  wrangler: Wrangler,
  worker: string,
  deployments: readonly Deployment[],
  target: string,
  running: readonly string[],
): Promise<string | undefined> {
  const versions = await readVersions(wrangler, worker)
  const [start, ...ends] = [target, ...running].map((id) => madeOn(id, versions, deployments))
  const end = ends.sort().at(-1) ?? ''
  return versions
    .filter(isSecretChange)
    .map(({ metadata }) => metadata.created_on)
    .find((createdOn) => createdOn > start! && createdOn <= end)
}

const noMessage = 'no message'
const messageOf = ({ annotations }: Deployment): string | undefined => annotations?.['workers/message']

/** The message about the code of the first of some deployments, newest first. A change of secrets makes one without a message. */
const codeOf = (deployments: readonly Deployment[]): string | undefined =>
  deployments.map(messageOf).find((message) => message !== undefined)
