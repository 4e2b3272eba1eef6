import * as z from 'zod'
import { epochStates, settlementStates } from '../../../protocol/earnings/index.ts'
import { example } from '../../examples.ts'
import { Address, Amount, Bytes32, Timestamp, TokenView } from '../../http/formats.ts'
import { AttestationShape, attestationExample } from '../committees/schema.ts'
import { hashesExample, manifestExample, tokenExample } from '../projects/example.ts'
import { RewardModel } from '../projects/manifest-shape.ts'
import { canonicalOf } from '../rounds/schema.ts'

const ComputeUnit = z
  .strictObject({ miner: Address, units: z.int().min(1), amount: Amount })
  .meta({ id: 'ComputeUnit' })

export const EpochTotals = z
  .strictObject({ units: z.int(), gross: Amount, miner: Amount, developer: Amount, treasury: Amount })
  .meta({ id: 'EpochTotals' })

/** The wire form of section 23. */
export const epochReceiptShape = z.strictObject({
  v: z.literal(2),
  chain_id: z.int(),
  vault_address: Address,
  project_id: Bytes32,
  consensus_hash: Bytes32,
  round: z.int().min(0).describe('The epoch.'),
  epoch_secs: z.int(),
  reward_token: Address,
  reward_model: RewardModel,
  compute_units: z.array(ComputeUnit).describe('Ascending by miner.'),
  totals: EpochTotals,
  merkle_root: Bytes32.describe('Root of the payouts above 0, from which the vault pays.'),
  receipt_hash: Bytes32,
  attestations: z.array(AttestationShape).describe('In any order.'),
})

export const Settlement = z
  .strictObject({
    status: z.enum(settlementStates),
    tx_hash: Bytes32.optional().describe('The transaction that posted the epoch.'),
    block_number: z.int().optional(),
    claimable_at: Timestamp.optional().describe('End of the challenge period.'),
    error: z
      .nullable(z.string())
      .describe('The reason why the root is not posted, or the error of the last attempt.'),
  })
  .meta({ id: 'Settlement' })

const summaryShape = {
  project_id: Bytes32,
  epoch: z.int(),
  epoch_secs: z.int(),
  starts_at: Timestamp,
  ends_at: Timestamp,
  status: z.enum(epochStates),
  rounds: z.int().describe('Ended rounds, with or without a result.'),
  fallback_rounds: z.int().describe('Ended rounds without a committee.'),
  miners: z.int().describe('Number of recipients in the receipt; 0 before the epoch is attested.'),
  token: TokenView,
  totals: EpochTotals.optional().describe('Absent before the epoch is attested.'),
  receipt_hash: Bytes32.optional(),
  merkle_root: Bytes32.optional(),
  settlement: Settlement.optional(),
}

export const EpochSummary = z.strictObject(summaryShape).meta({ id: 'EpochSummary' })

export const AttestedEpochReceipt = z.strictObject(epochReceiptShape.shape).meta({
  id: 'AttestedEpochReceipt',
  description: `As validators attested it. \`receipt_hash\` is the keccak256 of ${canonicalOf('all members but `receipt_hash` and `attestations`')}. Validators sign the text \`{{prefix}}-reward-v2:\` followed by \`receipt_hash\`, with ed25519.`,
})

export const EpochView = z
  .strictObject({
    ...summaryShape,
    receipt: AttestedEpochReceipt.optional(),
    open_rounds: z
      .int()
      .optional()
      .describe(
        'Rounds of the epoch that are neither final nor failed. The receipt of the epoch waits for them. Absent once the epoch has a receipt.',
      ),
  })
  .meta({ id: 'Epoch' })

const epochExampleNumber = 166_018

export const receiptExample: z.output<typeof epochReceiptShape> = {
  v: 2,
  chain_id: 31337,
  vault_address: manifestExample.consensus.economics.vault,
  project_id: hashesExample.project_id,
  consensus_hash: hashesExample.consensus_hash,
  round: epochExampleNumber,
  epoch_secs: 10_800,
  reward_token: example.contracts.token,
  reward_model: 'per-unit',
  compute_units: [{ miner: example.wallet, units: 14, amount: '18620000000000000' }],
  totals: {
    units: 14,
    gross: '24500000000000000',
    miner: '18620000000000000',
    developer: '4655000000000000',
    treasury: '1225000000000000',
  },
  merkle_root: example.digest,
  receipt_hash: example.manifestAddress,
  attestations: [attestationExample],
}

export const epochExample: z.output<typeof EpochSummary> = {
  project_id: hashesExample.project_id,
  epoch: epochExampleNumber,
  epoch_secs: 10_800,
  starts_at: 10_800 * epochExampleNumber,
  ends_at: 10_800 * (epochExampleNumber + 1),
  status: 'settled',
  rounds: 14,
  fallback_rounds: 0,
  miners: 1,
  token: tokenExample,
  totals: receiptExample.totals,
  receipt_hash: receiptExample.receipt_hash,
  merkle_root: receiptExample.merkle_root,
  settlement: {
    status: 'settled',
    tx_hash: example.digest,
    block_number: 4_812,
    claimable_at: 10_800 * (epochExampleNumber + 1) + 3_720,
    error: null,
  },
}
