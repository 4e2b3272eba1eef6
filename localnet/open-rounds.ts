import { epochAt } from '../protocol/committees/index.ts'
import type { Network } from '../scripts/hub/network.ts'
import { waitFor } from '../scripts/hub/wait.ts'

/** By then, the devices of the sample project have voted, or have missed their time anyway. */
const waitMs = 60_000

export interface TimedProject {
  readonly project_id: string
  readonly epoch_secs: number
}

/**
 * Waits until no round of some projects is open: if the time jumps meanwhile, each device that has not voted is late, and is
 * slashed for it.
 *
 * @param onWait is called if a round is open.
 * @returns How many rounds are open after a minute.
 */
export async function waitForRounds(
  { client, now }: Network,
  projects: readonly TimedProject[],
  onWait = () => {},
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
  const deadline = Date.now() + waitMs
  let left = 0
  for (const epoch of busy)
    left += await waitFor(
      'the end of rounds',
      () => countOpen(epoch),
      (open) => open === 0 || Date.now() > deadline,
    )
  return left
}
