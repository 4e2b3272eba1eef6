import { CommandError } from '../scripts/command/errors.ts'
import { type Deployment, readDeployments } from './account.ts'
import type { Environment } from './environment.ts'
import { giveTraffic, type Wrangler } from './wrangler.ts'
import { resourcesOf } from './wrangler-config.ts'

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
 * Storage of Durable Objects that a later build has changed cannot be opened by an earlier one, which is refused.
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
  const before = deployments.filter(
    ({ versions: [only, ...others] }) =>
      only !== undefined && others.length === 0 && !running.includes(only.version_id),
  )
  const target =
    version === undefined ? before[0] : before.find(({ versions }) => versions[0]!.version_id === version)
  if (target === undefined)
    throw new CommandError(
      version === undefined
        ? 'No earlier version has ever had all traffic.'
        : `${version} has never had all traffic, or has it now. Versions that can have it again: ${before.map(idOf).join(', ') || 'none'}.`,
    )
  const tags = [current, target].map(tagOf)
  if (tags[0] !== tags[1])
    throw new CommandError(
      `${idOf(target)} (${tags[1] ?? 'not deployed by up'}) cannot open the storage of Durable Objects as ${running[0]} (${tags[0]}) writes it. Mend the fault in a new version, and run up.`,
    )
  say(
    `${running.join(' and ')} (${messageOf(current)}) → ${idOf(target)} (${messageOf(target)}, deployed ${target.created_on})`,
  )
  if (!(await confirm('Give it all traffic?'))) throw new CommandError('Nothing was changed.')
  await giveTraffic(wrangler, worker, [`${idOf(target)}@100%`], messageOf(target))
  await check(`https://${environment.domain}`)
  say(`${idOf(target)} has all traffic.`)
}

const idOf = ({ versions }: Deployment): string => versions[0]!.version_id
const messageOf = ({ annotations }: Deployment): string => annotations?.['workers/message'] ?? 'no message'
const tagOf = ({ annotations }: Deployment): string | undefined =>
  annotations?.['workers/message']?.split(' ')[0]
