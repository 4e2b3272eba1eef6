/** Reads the records of a round and checks them in this browser. */
import type { ExecutionReceipt } from '../../../protocol/execution/index.ts'
import type { ManifestEnvelope } from '../../../protocol/manifest/index.ts'
import {
  type Check,
  checkRound,
  type OwnTask,
  type RoundRecords,
  type TrustRoot,
  trustRoot,
} from './checks.ts'
import { hub, type Round } from './hub.ts'

export interface Verified {
  /** Wrong where a check does not hold; partly where none is wrong and something could not be checked. */
  readonly outcome: 'holds' | 'partly' | 'wrong'
  readonly root: TrustRoot | null
}

/**
 * Verifies a round, check after check.
 *
 * @param roundId of the round that was asked for, whichever came.
 * @param tell is called with each check as it ends.
 */
export async function verifyRound(
  roundId: string,
  round: Round,
  own: OwnTask | null,
  tell: (check: Check) => void,
): Promise<Verified> {
  const records = await readRecords(roundId, round, own)
  let outcome: Verified['outcome'] = 'holds'
  for (const check of checkRound(records)) {
    if (check.holds === false) outcome = 'wrong'
    else if (check.holds === null && outcome === 'holds') outcome = 'partly'
    tell(check)
  }
  return { outcome, root: trustRoot(records) }
}

async function readRecords(roundId: string, round: Round, own: OwnTask | null): Promise<RoundRecords> {
  const { task } = round
  if (!task) throw new Error('This round has no public records that could be checked.')
  const set = hub.set(task.project_id, task.epoch)
  const [{ profile }, { coordinator }, { params, params_hash }, generations, attested, manifest, receipt] =
    await Promise.all([
      hub.network(),
      hub.descriptor(),
      set.then(paramsOf),
      hub.generations(),
      set,
      manifestOf(task.project_id, task.consensus_hash),
      receiptOf(round),
    ])
  return {
    ...{ roundId, round, own, profile, params, paramsHash: params_hash, generations, attested },
    ...{ coordinator: coordinator?.public_key ?? null, manifest, receipt },
  }
}

/** The parameters of the epoch of a set: those of its start. Whether they have the hash that validators signed, a check says. */
const paramsOf = ({ snapshot }: Awaited<ReturnType<typeof hub.set>>) =>
  hub.paramsAt(snapshot.epoch * snapshot.epoch_secs)

/** The manifest whose rules have a hash, from whichever version has them; null where no version does. */
async function manifestOf(projectId: string, hash: string): Promise<ManifestEnvelope | null> {
  for await (const { consensus_hash, version } of hub.allVersions(projectId))
    if (consensus_hash === hash)
      return (await hub.version(projectId, version)).signed_manifest as unknown as ManifestEnvelope
  return null
}

/** From a vote, and where no vote has it from the records of the validators. */
async function receiptOf({ votes_detail, receipt_hash }: Round): Promise<ExecutionReceipt | null> {
  const vote = votes_detail?.find((one) => one.receipt_hash === receipt_hash)
  if (vote !== undefined || receipt_hash === undefined) return vote?.receipt ?? null
  const found = await hub.findReceipt(receipt_hash)
  return found && 'receipt' in found.receipt ? found.receipt.receipt : null
}
