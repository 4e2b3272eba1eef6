import { epochAt } from '../protocol/committees/index.ts'
import { type Network, readEconomics } from '../scripts/hub/network.ts'
import { waitFor } from '../scripts/hub/wait.ts'

/** By then, the devices of the sample project have voted, or have missed their time anyway. */
const waitMs = 60_000

export interface TimedProject {
  readonly project_id: string
  readonly epoch_secs: number
}

export interface NamedProject extends TimedProject {
  readonly slug: string
}

/** More projects are not waited for. */
const projectsMax = 100

/** The listed projects of a network. */
export async function timedProjects({ client }: Pick<Network, 'client'>): Promise<NamedProject[]> {
  const { items } = await client.call('GET /v1/projects', { query: { limit: projectsMax } })
  const projects: NamedProject[] = []
  for (const { project_id, slug } of items) {
    const { epoch_secs } = await readEconomics(client, project_id)
    projects.push({ project_id, slug, epoch_secs })
  }
  return projects
}

/**
 * Waits until no round of some projects is open: if the time jumps meanwhile, or the network stops, each device that has not voted is
 * late, and is slashed for it.
 *
 * @param onWait is called if a round is open.
 * @returns How many rounds are still open after `limitMs`.
 */
export async function waitForRounds(
  { client, now }: Pick<Network, 'client' | 'now'>,
  projects: readonly TimedProject[],
  onWait = () => {},
  limitMs = waitMs,
): Promise<number> {
  const time = await now()
  const countOpen = async (path: { project_id: string; epoch: number }): Promise<number> =>
    (await client.find('GET /v1/explorer/epochs/{project_id}/{epoch}', { path }))?.open_rounds ?? 0
  // A round may end later than its epoch.
  const epochs = projects.flatMap(({ project_id, epoch_secs }) =>
    [-1, 0].map((offset) => ({ project_id, epoch: epochAt(time, epoch_secs) + offset })),
  )
  const busy: typeof epochs = []
  for (const epoch of epochs) if ((await countOpen(epoch)) > 0) busy.push(epoch)
  if (busy.length > 0) onWait()
  const deadline = Date.now() + limitMs
  let left = 0
  for (const epoch of busy)
    left += await waitFor(
      'the end of rounds',
      () => countOpen(epoch),
      (open) => open === 0 || Date.now() > deadline,
    )
  return left
}
