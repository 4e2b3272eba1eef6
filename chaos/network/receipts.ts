import {
  attestEpochReceipt,
  type BuiltEpochReceipt,
  buildEpochReceipt,
  capUnits,
  type EpochReceipt,
  type EpochReceiptBody,
  hashEpochReceipt,
  sumUnits,
} from '../../protocol/earnings/index.ts'
import { defaultNetworkParams, type Profile } from '../../protocol/identity/index.ts'
import type { Project } from './projects.ts'
import type { NodeKey } from './validator-server.ts'

/** The receipt that follows from records; null if nothing is paid. @param extra Units that the first recipient gets besides. */
export function receiptOf(
  profile: Profile,
  { consensus, projectId }: Project,
  epoch: number,
  records: Parameters<typeof sumUnits>[0],
  extra = 0,
): BuiltEpochReceipt | null {
  const { max_recipients_per_epoch, max_units_per_epoch } = consensus.economics
  const [first, ...rest] = sumUnits(records, defaultNetworkParams.gas_per_unit)
  if (first === undefined) return null
  const all = [{ ...first, units: first.units + extra }, ...rest]
  const units = capUnits(all, max_recipients_per_epoch, max_units_per_epoch)
  return buildEpochReceipt(profile, { project_id: projectId, epoch, consensus, units })
}

export function attestedReceipt(
  profile: Profile,
  body: EpochReceiptBody,
  by: readonly NodeKey[],
  signed: string = hashEpochReceipt(body),
): EpochReceipt {
  const attestations = by.map(({ seed }) => attestEpochReceipt(profile, seed, signed))
  return { ...body, receipt_hash: hashEpochReceipt(body), attestations }
}
