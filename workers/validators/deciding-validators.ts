import { hashCanonicalJson, isObject } from '../../protocol/encoding/index.ts'
import { hashFinality } from '../../protocol/rounds/index.ts'
import type { Evidence } from '../../protocol/slashing/index.ts'
import { findRound } from '../rounds/find-round.ts'
import type { Services } from '../services.ts'
import type { RoundFile } from '../stores/round-files.ts'
import { countingKeys, keysOf } from '../stores/validators.ts'

type Records = Pick<Services, 'roundFiles' | 'roundObjects' | 'rounds' | 'validators'>

/**
 * The keys of the validators that evidence counts by: those of the generation of its epoch. For the very record that the hub has of a round,
 * those count who counted when it became final: no ended key and no emergency generation changes it. @param now - Network time.
 */
export async function keysForEvidence(
  records: Records,
  { proof, round_id, epoch }: Evidence,
  epochSecs: number,
  now: number,
): Promise<readonly string[]> {
  const { roundFiles, validators } = records
  const counting = countingKeys(await validators.ofEpoch(epoch, epochSecs), now)
  const record = recordOf(proof)
  const finalizedAt = record === null ? null : ((await findRound(records, round_id))?.finalizedAt ?? null)
  if (record === null || finalizedAt === null) return counting
  const then = countingKeys(await validators.ofEpoch(epoch, epochSecs, finalizedAt), finalizedAt)
  if (then.join() === counting.join()) return counting
  const finality = (await roundFiles.round(round_id))?.finality ?? null
  return finality !== null && hashFinality(finality) === hashCanonicalJson(record) ? then : counting
}

/** The record that the finality list of a proof is about; null for a proof without one. */
function recordOf({ finality }: Evidence['proof']): object | null {
  const first: unknown = Array.isArray(finality) ? finality[0] : null
  return isObject(first) && isObject(first.finality) ? first.finality : null
}

/** The keys of the validators that made a round of a task final. */
export async function keysOfFinal(
  { validators }: Pick<Records, 'validators'>,
  { task: { project_id, epoch }, published }: Pick<RoundFile, 'task' | 'published'>,
): Promise<string[]> {
  const { finalizedAt } = published.round
  return keysOf(await validators.ofSet(project_id, epoch, finalizedAt ?? undefined))
}
