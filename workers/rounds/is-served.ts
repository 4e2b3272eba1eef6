import type { Round } from '../../durable-objects/round/round.ts'
import { epochStart } from '../../protocol/committees/index.ts'
import { phaseAt, phaseHash } from '../../protocol/identity/index.ts'
import type { DeclineReason } from '../../protocol/link/index.ts'
import { inTime } from '../deadline.ts'
import type { Services } from '../services.ts'
import { isInGrace } from './grace.ts'
import { readOnce } from './seating.ts'

type Sources = Pick<
  Services,
  'clock' | 'committeeSets' | 'modules' | 'params' | 'paramsSchedule' | 'projectVersions' | 'roundFiles'
>

/** A member that declines waits for its replacement, so this may not take long; what takes longer is not served. */
const msMax = 5_000

/**
 * Whether the hub serves what a node needs to judge an offer and run its task: the attested set under the parameters of its epoch, rules, module
 * and input; and whether the task is not dated ahead. A member that declines for a fault of the hub owes nothing, and soon after a change of
 * parameters none does: its node may be of a version that does not know the change.
 */
export const isServed = (sources: Sources, round: Round, reason: DeclineReason): Promise<boolean> =>
  inTime(readServed(sources, round, reason), msMax)

async function readServed(
  { clock, committeeSets, modules, params, paramsSchedule, projectVersions, roundFiles }: Sources,
  { terms: { task, input } }: Round,
  reason: DeclineReason,
): Promise<boolean> {
  const now = await clock.now()
  if (isInGrace(paramsSchedule, now)) return false
  // A node that stops needs nothing from the hub.
  if (reason === 'stopping') return true
  const [set, hashed, consensus, module, bytes] = await Promise.all([
    committeeSets.find(task.project_id, task.epoch),
    readOnce(committeeSets, task.set_hash),
    projectVersions.consensus(task.project_id, task.consensus_hash),
    modules.find(task.module_address),
    input ?? roundFiles.payload(task.input_hash),
  ])
  const { epoch, epoch_secs, params_hash } = hashed.snapshot
  return (
    task.issued_at <= now + params.max_skew &&
    set !== null &&
    set.valid &&
    set.setHash === task.set_hash &&
    params_hash === phaseHash(phaseAt(paramsSchedule, epochStart(epoch, epoch_secs))) &&
    consensus !== null &&
    module !== null &&
    bytes !== null &&
    (await modules.isStored(module))
  )
}
