import * as z from 'zod'
import { leaseStates, proofStatuses, rejectionReasons } from '../../../durable-objects/round/states.ts'
import { deriveNodeId, type Profile } from '../../../protocol/identity/index.ts'
import { expectedReward } from '../../earnings/expected-reward.ts'
import { example } from '../../examples.ts'
import { Amount, Bytes32, NodeId, Timestamp } from '../../http/formats.ts'
import type { Lease, Proof } from '../../stores/proofs.ts'
import type { RoundFile } from '../../stores/round-files.ts'
import { FinalityRecordView, finalityExample, RoundId, TaskVoteView, voteExample } from '../rounds/schema.ts'
import { finalityView } from '../rounds/view.ts'

export const LeaseView = z
  .strictObject({
    lease_id: z.string(),
    offer_id: z.string().describe('The lease id in the frames of the WebSocket: the same id.'),
    round_id: RoundId,
    project_id: Bytes32,
    node_id: NodeId,
    position: z.int().describe('Position in the draw.'),
    role: z.enum(['primary', 'backup']),
    state: z.enum(leaseStates),
    function: z.string(),
    deadline: Timestamp.describe('Deadline of the vote.'),
    units: z.int().nullable().describe('Credited units; null until the round is final.'),
    created_at: Timestamp,
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'Lease' })

const proofShape = {
  proof_id: Bytes32,
  round_id: RoundId,
  project_id: Bytes32,
  subscription_id: Bytes32,
  node_id: NodeId,
  epoch: z.int(),
  status: z.enum(proofStatuses),
  receipt_hash: Bytes32.nullable().describe('Receipt hash in the vote of the member.'),
  final_receipt_hash: Bytes32.nullable(),
  units: z.int().describe('Credited units; 0 until the round is final.'),
  expected_amount: Amount.describe(
    'Amount that the units would earn if the epoch ended with the present final rounds.',
  ),
  rejection_reason: z.enum(rejectionReasons).nullable(),
  audited: z.boolean(),
  finality_ms: z.int().nullable().describe('From the task to its final result.'),
  slash_id: Bytes32.nullable().describe('Evidence hash of the slash for this vote or missed vote.'),
  submitted_at: Timestamp.describe(
    'Time of the vote; for a missed vote, the time when it counted as missed.',
  ),
  verified_at: Timestamp.nullable(),
}

export const ProofView = z.strictObject(proofShape).meta({ id: 'Proof' })

export const ProofDetail = z
  .strictObject({
    ...proofShape,
    vote: TaskVoteView.optional().describe('Present once the round is over, if the device voted.'),
    finality: FinalityRecordView.optional(),
    finality_validators: z.array(NodeId).optional().describe('Validators that signed the finality.'),
  })
  .meta({ id: 'ProofDetail' })

/** Both names of a lease: the hash part of its round's id, and its position. */
const leaseName = ({ roundId, position }: Pick<Lease, 'roundId' | 'position'>): string =>
  `${roundId.slice('task:0x'.length)}.${position}`

export const leaseView = (lease: Lease): z.output<typeof LeaseView> => ({
  lease_id: leaseName(lease),
  offer_id: leaseName(lease),
  round_id: lease.roundId,
  project_id: lease.projectId,
  node_id: lease.nodeId,
  position: lease.position,
  role: lease.role,
  state: lease.state,
  function: lease.function,
  deadline: lease.deadline,
  units: lease.units,
  created_at: lease.createdAt,
  completed_at: lease.completedAt,
})

export const proofView = (proof: Proof): z.output<typeof ProofView> => ({
  proof_id: proof.proofId,
  round_id: proof.roundId,
  project_id: proof.projectId,
  subscription_id: proof.subscriptionId,
  node_id: proof.nodeId,
  epoch: proof.epoch,
  status: proof.status,
  receipt_hash: proof.receiptHash,
  final_receipt_hash: proof.finalReceiptHash,
  units: proof.units ?? 0,
  expected_amount: expectedAmount(proof),
  rejection_reason: proof.rejectionReason,
  audited: proof.audited,
  finality_ms: proof.finalityMs,
  slash_id: proof.slashId,
  submitted_at: proof.submittedAt ?? proof.completedAt ?? proof.createdAt,
  verified_at: proof.status === 'verified' ? proof.finalizedAt : null,
})

const expectedAmount = ({ units, terms, epochUnits }: Proof): string =>
  units === null || units === 0 || terms === null || epochUnits === null
    ? '0'
    : expectedReward(terms, units, epochUnits)

/** The members that the file of the round adds to a proof. */
export function proofEvidence(
  profile: Profile,
  { nodeKey, receiptHash }: Proof,
  { votes, evidence, finality, finality_votes }: RoundFile,
): Pick<z.output<typeof ProofDetail>, 'vote' | 'finality' | 'finality_validators'> {
  const vote = [...votes, ...evidence].find(
    ({ public_key, receipt_hash }) => public_key === nodeKey && receipt_hash === receiptHash,
  )
  return {
    ...(vote && { vote }),
    ...(finality && { finality: finalityView(finality) }),
    finality_validators: finality_votes.map(({ public_key }) => deriveNodeId(profile, public_key)),
  }
}

const roundId = `task:${example.digest}`
const nodeId = '{{node_id_prefix}}0f3a5c7e9b1d2f40'

export const leaseExample: z.output<typeof LeaseView> = {
  lease_id: `${example.digest.slice(2)}.0`,
  offer_id: `${example.digest.slice(2)}.0`,
  round_id: roundId,
  project_id: example.manifestAddress,
  node_id: nodeId,
  position: 0,
  role: 'primary',
  state: 'finalized',
  function: 'echo',
  deadline: example.time + 30,
  units: 1,
  created_at: example.time,
  completed_at: example.time + 2,
}

export const proofExample: z.output<typeof ProofView> = {
  proof_id: example.digest,
  round_id: roundId,
  project_id: example.manifestAddress,
  subscription_id: example.digest,
  node_id: nodeId,
  epoch: 498_055,
  status: 'verified',
  receipt_hash: example.digest,
  final_receipt_hash: example.digest,
  units: 1,
  expected_amount: '1330000000000000',
  rejection_reason: null,
  audited: false,
  finality_ms: 4_120,
  slash_id: null,
  submitted_at: example.time + 2,
  verified_at: example.time + 4,
}

export const proofDetailExample: z.output<typeof ProofDetail> = {
  ...proofExample,
  vote: voteExample,
  finality: finalityExample,
  finality_validators: [nodeId],
}
