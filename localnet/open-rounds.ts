import { epochAt } from '../protocol/committees/index.ts'
import { type Network, readEconomics } from '../scripts/hub/network.ts'
import { waitFor } from '../scripts/hub/wait.ts'

/** The projects whose rounds are waited for. */
const projectsMax = 100
/** By then, the devices of the sample project have voted, or have missed their time anyway. */
const waitMs = 60_000

/**
 * Waits until no round is open: if the time jumps meanwhile, each device that has not voted is late, and is slashed for it.
 *
 * @param onWait is called once, if a round is open.
 * @returns How many rounds are open after a minute.
 */
export async function waitForRounds({ client, now }: Network, onWait = () => {}): Promise<number> {
  const [{ items }, time] = await Promise.all([
    client.call('GET /v1/projects', { query: { limit: projectsMax } }),
    now(),
  ])
  const deadline = Date.now() + waitMs
  let left = 0
  let isTold = false
  const isOver = (open: number): boolean => {
    if (open > 0 && !isTold) onWait()
    isTold ||= open > 0
    return open === 0 || Date.now() > deadline
  }
  for (const { project_id } of items) {
    const { epoch_secs } = await readEconomics(client, project_id)
    const epoch = epochAt(time, epoch_secs)
    // A round may end later than its epoch.
    for (const path of [
      { project_id, epoch: epoch - 1 },
      { project_id, epoch },
    ])
      left += await waitFor(
        'the end of rounds',
        async () =>
          (await client.find('GET /v1/explorer/epochs/{project_id}/{epoch}', { path }))?.open_rounds ?? 0,
        isOver,
      )
  }
  return left
}
