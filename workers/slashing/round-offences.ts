import type { Evidence } from '../../protocol/slashing/index.ts'
import { type Env, readSettings } from '../env.ts'
import { ApiError } from '../errors.ts'
import { bringHubAction } from '../outbox/hub-actions.ts'
import { services } from '../services.ts'
import { EarlyEvidenceStore } from '../stores/early-evidence.ts'
import type { RoundFile } from '../stores/round-files.ts'
import { RoundOffenceStore } from '../stores/round-offences.ts'
import { keysOfFinal } from '../validators/deciding-validators.ts'
import { recordOffence } from './record-offence.ts'
import { evidenceOf } from './round-evidence.ts'

const batchMax = 50

/** Whether there is room for more of each kind of work. The rest is left to a later run. */
export interface Room {
  earlyEvidence: () => boolean
  nextRound: () => boolean
  /** For further offences of a round that has begun. A round may have dozens, so this is more room than another round needs to begin. */
  sameRound: () => boolean
}

const always = () => true
const endless: Room = { earlyEvidence: always, nextRound: always, sameRound: always }

/** Records what is due of the offences that rounds prove, and judges what was posted before they were over. */
export async function recordDueOffences(env: Env, room = endless): Promise<void> {
  const { clock, store } = services(env)
  await judgeEarly(env, room.earlyEvidence).catch((error) =>
    console.error('early evidence could not be judged', error),
  )
  const due = await store(RoundOffenceStore).due(await clock.now(), batchMax)
  for (const roundId of due) {
    if (!room.nextRound()) return
    await recordRoundOffences(env, roundId, room.sameRound).catch((error) =>
      console.error(`offences of the round ${roundId} could not be recorded`, error),
    )
  }
}

/** Judges early evidence that is due. If that fails, it is judged the next time. */
async function judgeEarly(env: Env, isRoom: () => boolean): Promise<void> {
  const { clock, store } = services(env)
  const earlyEvidence = store(EarlyEvidenceStore)
  await earlyEvidence.purge(await clock.now())
  for (const { offenceId, evidence } of await earlyEvidence.due(batchMax)) {
    if (!isRoom()) return
    try {
      await record(env, evidence)
      await earlyEvidence.forget(offenceId)
    } catch (error) {
      console.error(`early evidence of the offence ${offenceId} could not be judged`, error)
    }
  }
}

/**
 * Records the offences that a round proves. Validators may have been first: an offence is on record once. A round that failed, or had no room
 * for all, is due again later.
 */
export async function recordRoundOffences(env: Env, roundId: string, isRoom = always): Promise<void> {
  const { clock, roundFiles, store } = services(env)
  const roundOffences = store(RoundOffenceStore)
  if (!(await roundOffences.begin(roundId, await clock.now()))) return
  const file = await roundFiles.round(roundId)
  if (file === null) throw new Error(`the file of the round ${roundId} does not exist`)
  // Records of an earlier form do not say who was asked.
  if ((file as Partial<RoundFile>).published !== undefined) {
    const keys = await keysOfFinal(services(env), file)
    for (const evidence of evidenceOf(file, file.published.leases, keys)) {
      if (!isRoom()) return
      await record(env, evidence)
    }
  }
  await roundOffences.finish(roundId)
}

/** Evidence that proves nothing to the hub, for example if the subscription has changed hands, is not tried again. */
async function record(env: Env, evidence: Evidence): Promise<void> {
  try {
    const recorded = await recordOffence(services(env), readSettings(env).PROFILE, evidence)
    if (recorded.status === 'kept') return
    const { slash, isNew } = recorded
    // If this fails, the schedule tries it again.
    if (isNew && slash.closedReason === null)
      await bringHubAction(env, 'propose_slash', slash.evidenceHash).catch((error) =>
        console.error(`the slash ${slash.evidenceHash} could not be proposed`, error),
      )
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'invalid_evidence')) throw error
    console.warn(`${evidence.kind} of ${evidence.node_key} in ${evidence.round_id}: ${error.message}`)
  }
}
