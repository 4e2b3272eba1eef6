/** Reads the records that the checks of a round compare. */
import type { ExecutionReceipt } from '../../../protocol/execution/index.ts'
import type { ManifestEnvelope } from '../../../protocol/manifest/index.ts'
import type { OwnTask, RoundRecords } from './checks.ts'
import type { hub, Round } from './hub.ts'

/** The calls of the hub from which the records come. */
export type Source = Pick<
  typeof hub,
  'network' | 'descriptor' | 'set' | 'paramsAt' | 'generations' | 'allVersions' | 'version' | 'findReceipt'
>

export async function readRecords(
  hub: Source,
  roundId: string,
  round: Round,
  own: OwnTask | null,
): Promise<RoundRecords> {
  const { task } = round
  if (!task) throw new Error('This round has no public records that could be checked.')
  const set = hub.set(task.project_id, task.epoch)
  const [{ profile }, { coordinator }, { params, params_hash }, generations, attested, manifest, receipt] =
    await Promise.all([
      hub.network(),
      hub.descriptor(),
      set.then((one) => paramsOf(hub, one)),
      hub.generations(),
      set,
      manifestOf(hub, task.project_id, task.consensus_hash),
      receiptOf(hub, round),
    ])
  return {
    ...{ roundId, round, own, profile, params, paramsHash: params_hash, generations, attested },
    ...{ coordinator: coordinator?.public_key ?? null, manifest, receipt },
  }
}

/** The parameters of the epoch of a set: those of its start. Whether they have the hash that validators signed, a check says. */
const paramsOf = (hub: Source, { snapshot }: Awaited<ReturnType<Source['set']>>) =>
  hub.paramsAt(snapshot.epoch * snapshot.epoch_secs)

/** The manifest whose rules have a hash, from whichever version has them; null if no version does. */
async function manifestOf(hub: Source, projectId: string, hash: string): Promise<ManifestEnvelope | null> {
  for await (const { consensus_hash, version } of hub.allVersions(projectId))
    if (consensus_hash === hash)
      return (await hub.version(projectId, version)).signed_manifest as unknown as ManifestEnvelope
  return null
}

/** From a vote, and where no vote has it from the records of the validators. */
async function receiptOf(
  hub: Source,
  { votes_detail, receipt_hash }: Round,
): Promise<ExecutionReceipt | null> {
  const vote = votes_detail?.find((one) => one.receipt_hash === receipt_hash)
  if (vote !== undefined || receipt_hash === undefined) return vote?.receipt ?? null
  const found = await hub.findReceipt(receipt_hash)
  return found && 'receipt' in found.receipt ? found.receipt.receipt : null
}
