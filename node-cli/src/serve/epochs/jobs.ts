import type { DatabaseSync } from 'node:sqlite'
import {
  buildEpochReceipt,
  type CreditedRecord,
  capUnits,
  countEpochAttestations,
  createEpochVote,
  type EpochReceipt,
  type EpochReceiptBody,
  type EpochVote,
  hashEpochReceipt,
  receiptWaitsUntil,
  sumUnits,
} from '../../../../protocol/earnings/index.ts'
import { FormatError } from '../../../../protocol/encoding/index.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import type { ProjectRules } from '../../../../protocol/manifest/index.ts'
import { nodeSigner } from '../../node-signer.ts'
import { verifyNatively } from '../../node-verifier.ts'
import { inSnapshot } from '../background/in-snapshot.ts'
import type { ProjectEpoch } from '../store/epochs.ts'

export type BuiltReceipt =
  | { readonly status: 'built'; readonly body: EpochReceiptBody; readonly receiptHash: string }
  | { readonly status: 'nothing' }
  | { readonly status: 'impossible'; readonly reason: string }

export interface ReceiptContext extends ProjectEpoch {
  readonly file: string
  readonly profile: Profile
  readonly consensus: ProjectRules
  readonly gasPerUnit: number
}

/** The computations for epochs outside the thread that answers requests. */
export const epochJobs = {
  buildReceipt: (context: ReceiptContext): BuiltReceipt => {
    const { profile, consensus, gasPerUnit, projectId, epoch } = context
    const { max_recipients_per_epoch, max_units_per_epoch } = consensus.economics
    const until = receiptWaitsUntil(epoch, consensus.work)
    try {
      const credited = inSnapshot(context.file, (db) =>
        sumUnits(readRecords(db, projectId, epoch, until), gasPerUnit),
      )
      const units = capUnits(credited, max_recipients_per_epoch, max_units_per_epoch)
      const built = buildEpochReceipt(profile, { project_id: projectId, epoch, consensus, units })
      if (built === null) return { status: 'nothing' }
      return { status: 'built', body: built.body, receiptHash: hashEpochReceipt(built.body) }
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      return { status: 'impossible', reason: error.message }
    }
  },

  countAttested: (profile: Profile, receipt: EpochReceipt, validators: readonly string[]): number =>
    countEpochAttestations(profile, receipt, validators, verifyNatively),

  makeEpochVote: (profile: Profile, seed: string, body: EpochReceiptBody, attempt: number): EpochVote =>
    createEpochVote(profile, nodeSigner(seed), body, attempt),
} as const

/**
 * Final records of an epoch that are paid. Before the block that decides about an audit no round is final, so one whose block
 * came after the receipt's wait was final too late, which every validator that judged the round knows alike.
 */
function* readRecords(
  db: DatabaseSync,
  projectId: string,
  epoch: number,
  until: number,
): Generator<CreditedRecord> {
  const rows = db
    .prepare(
      `SELECT final FROM rounds WHERE project_id = ? AND epoch = ? AND final IS NOT NULL
       AND coalesce(judgement->>'$.audit_block.timestamp', 0) <= ?`,
    )
    .iterate(projectId, epoch, until)
  for (const { final } of rows as Iterable<{ final: string }>) yield JSON.parse(final) as CreditedRecord
}
