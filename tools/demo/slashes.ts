import { waitFor } from '../../scripts/hub/wait.ts'
import type { Schemas } from '../../sdk/index.ts'
import { inTokens } from '../amounts.ts'
import { print, printStep } from '../print.ts'
import { ensure, passUntil, type Stage } from './stage.ts'

type Slash = Schemas['Slash']

/** The time that the contracts add to the window, for disputes that were sent in time. */
const graceSecs = 15 * 60

/** @returns When the windows in which the owner could dispute have ended. */
export async function showEvidence(stage: Stage): Promise<number> {
  printStep('The validators prove what the two did, and the hub proposes to slash them')
  const { network, honest } = stage
  const items = await waitFor(
    'both to be proposed for a slash',
    () => readSlashes(stage),
    (slashes) =>
      haveBoth(
        stage,
        slashes.filter(({ executable_at }) => executable_at !== null),
      ),
    undefined,
    (slashes) => slashes.map(({ kind, node_id, status }) => `${node_id} ${kind} ${status}`).join(', '),
  )
  for (const { kind, node_id, bp, amount } of items)
    print('·', `${kind.padEnd(14)} ${node_id}: ${bp / 100} % of its collateral, ${inTokens(network, amount)}`)
  const accused = items.filter(({ kind }) => kind !== 'missed_sla').map(({ node_id }) => node_id)
  ensure(!accused.some((nodeId) => honest.includes(nodeId)), 'no honest device is accused of a wrong vote')
  return Math.max(...items.map(({ executable_at }) => executable_at ?? 0))
}

/** Shows what a slash takes. @returns The slashes that are executed. */
export async function showSlashes(stage: Stage, windowsEnd: number): Promise<Slash[]> {
  printStep('Nobody disputes: the windows pass, and the hub executes the slashes')
  await passUntil(stage, windowsEnd + graceSecs + 1)
  const executed = await waitFor(
    'the slashes to be executed',
    () => readSlashes(stage, 'executed'),
    (items) => haveBoth(stage, items),
  )
  for (const { kind, node_id, taken } of executed) {
    const amount =
      taken === '0' ? 'nothing is left to take' : `${inTokens(stage.network, taken ?? '0')} taken`
    print('=', `${kind.padEnd(14)} ${node_id}: ${amount}`)
  }
  return executed
}

/** Whether each of the two is there for its own offence: the second vote of one may also be slashed as a wrong result. */
function haveBoth({ liar, doubleVoter }: Stage, slashes: readonly Slash[]): boolean {
  const is = (wanted: string, nodeId: string) =>
    slashes.some(({ kind, node_id }) => kind === wanted && node_id === nodeId)
  return is('invalid_result', liar) && is('equivocation', doubleVoter)
}

async function readSlashes({ network, projectId }: Stage, status?: 'executed'): Promise<Slash[]> {
  const query = { project_id: projectId, limit: 200, ...(status && { status }) }
  return (await network.client.call('GET /v1/explorer/slashes', { query })).items
}
