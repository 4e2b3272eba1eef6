import type * as z from 'zod'
import { waitsUntil } from '../../../durable-objects/project/tasks.ts'
import { epochStart } from '../../../protocol/committees/index.ts'
import type { HubContext } from '../../context.ts'
import type { TaskRecord } from '../../rounds/find-round.ts'
import { findRunningEpoch } from '../../rounds/running-epoch.ts'
import type { WaitingFor } from './schema.ts'

type Waiting = z.output<typeof WaitingFor>

const messages = {
  audit_block:
    'The committee is done. The next block of the chain decides whether the round is audited; it does not exist yet.',
  validators: 'The validators are asked to make the result final. Without a quorum of them the round fails.',
} as const

/** Why a task does not come on; null while its committee works, and when it is over. */
export async function waitingFor(c: HubContext, { task, round }: TaskRecord): Promise<Waiting | null> {
  if (round === null) return task.roundId === null && task.error === null ? waitingForRound(c, task) : null
  if (['pending', 'finalized', 'failed'].includes(round.state)) return null
  const waiting = await c.var.services
    .roundObjects(round.roundId)
    .waitingFor()
    .catch(() => null)
  return waiting && { ...waiting, message: messages[waiting.code] }
}

async function waitingForRound(
  { var: { services } }: HubContext,
  { projectId, createdAt }: TaskRecord['task'],
): Promise<Waiting | null> {
  const running = await findRunningEpoch(services, projectId, await services.clock.now())
  if (running === null) return null
  const { epoch, epochSecs, terms, isLost } = running
  if (terms !== null)
    return {
      code: 'queue',
      message: 'The project has the maximum number of open rounds, or earlier tasks wait too.',
      since: createdAt,
      until: null,
    }
  const until = waitsUntil(running)
  if (isLost)
    return {
      code: 'next_epoch',
      message: `The network had no validators when the set of epoch ${epoch} was due, so tasks begin in the next epoch. The task fails if that epoch ends without an attested set.`,
      since: createdAt,
      until,
    }
  return {
    code: 'set_not_attested',
    message: `No quorum of the validators has attested the set of epoch ${epoch}. The task fails if the epoch ends without an attested set.`,
    since: Math.max(createdAt, epochStart(epoch, epochSecs)),
    until,
  }
}
