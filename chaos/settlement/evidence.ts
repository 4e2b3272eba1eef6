import type { Snapshot } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { hashReceipt } from '../../protocol/execution/index.ts'
import { defaultNetworkParams, deriveTaskRoundId, type Profile } from '../../protocol/identity/index.ts'
import {
  createFinalityVote,
  createTaskVote,
  type FinalityRecord,
  type FinalityVote,
  seatCommittee,
  type Task,
  type TaskVote,
} from '../../protocol/rounds/index.ts'
import type { Evidence } from '../../protocol/slashing/index.ts'
import type { Member } from '../network/projects.ts'
import type { NodeKey } from '../network/validator-server.ts'
import type { ChaosNetwork } from './network.ts'
import type { EvidencePlan } from './plan.ts'
import type { ScenarioProject } from './records.ts'

/** The epoch that the offences are in. */
export interface OffenceEpoch {
  epoch: number
  snapshot: Snapshot
  setHash: string
  isAttested: boolean
}

/** Tasks that are looked through for one in which a member is what the evidence needs it to be. */
const seqsMax = 200

/** Evidence as a plan wants it, signed with the keys of those it is about. */
export function buildEvidence(
  network: Pick<ChaosNetwork, 'profile' | 'validators' | 'former'>,
  project: ScenarioProject,
  at: OffenceEpoch,
  plan: EvidencePlan,
) {
  const { profile } = network
  const { kind, flaw } = plan
  const member = project.members[plan.member % project.members.length] as Member
  const stranger = project.members.find((one) => one !== member) as Member
  const { task, isPrimary } = taskFor(profile, project, at, member, flaw === 'backup')
  const right = receiptOf(task, 'right')
  const record: FinalityRecord = {
    v: 1,
    round_id: deriveTaskRoundId(task),
    project_id: task.project_id,
    epoch: task.epoch,
    set_hash: task.set_hash,
    receipt_hash: hashReceipt(right),
    gas_used: right.gas_used,
    audited: flaw !== 'not_audited',
    // Somebody voted, so the round is not a fallback, whatever the project can pay.
    voters: [voterOf(flaw === 'voter' ? member : stranger)],
  }
  const voteOf = (output: string, voter = member): TaskVote => ({
    ...createTaskVote(profile, voter.device.seed, {
      task,
      receipt: receiptOf(task, output),
      payout_address: member.payout,
      position: 0,
    }),
    public_key: member.device.publicKey,
    node_id: member.device.nodeId,
  })
  const signer = flaw === 'forged' ? stranger : member
  const proofOf = (variant: number): Record<string, unknown> => {
    const wrong = () => voteOf(`wrong ${variant}`, signer)
    if (kind === 'equivocation')
      return {
        first: voteOf('right'),
        second: flaw === 'agreeing_votes' ? voteOf('right', signer) : wrong(),
      }
    const finality = finalityOf(network, record, flaw, variant)
    return kind === 'missed_sla' ? { task, finality } : { vote: wrong(), finality }
  }
  const evidenceOf = (variant: number): Evidence => ({
    v: 1,
    kind,
    project_id: project.projectId,
    epoch: at.epoch,
    round_id: record.round_id,
    subscription_id: (flaw === 'other_subscription' ? stranger : member).subscriptionId,
    node_key: member.device.publicKey,
    consensus_hash: project.consensusHash,
    proof: proofOf(variant),
  })
  return {
    evidence: evidenceOf(0),
    /** Other evidence for the same offence. */
    other: evidenceOf(1),
    /** Whether it proves the offence. */
    holds: flaw === null && (kind !== 'missed_sla' || (at.isAttested && isPrimary)),
    round: { task, roundId: record.round_id, member },
  }
}

const voterOf = ({ device, payout }: Member) => ({ public_key: device.publicKey, payout_address: payout })

/** A separate task, in whose committee the member is a primary, or is not. */
function taskFor(
  profile: Profile,
  project: ScenarioProject,
  { epoch, snapshot, setHash }: OffenceEpoch,
  member: Member,
  asBackup: boolean,
): { task: Task; isPrimary: boolean } {
  const { work, modules } = project.consensus
  const rules = { committee: work.committee, params: defaultNetworkParams }
  const primaryAt = (seq: number) =>
    seatCommittee(profile, snapshot, seq, rules).seats.some(
      ({ role, node_key }) => role === 'primary' && node_key === member.device.publicKey,
    )
  const first = project.seq
  let isPrimary = primaryAt(project.seq)
  while (isPrimary === asBackup && project.seq < first + seqsMax) {
    project.seq += 1
    isPrimary = primaryAt(project.seq)
  }
  const task = {
    v: 1 as const,
    project_id: project.projectId,
    consensus_hash: project.consensusHash,
    epoch,
    seq: project.seq,
    set_hash: setHash,
    module_address: modules.worker,
    function: work.functions[0] as string,
    input_hash: hashText('input'),
    gas_limit: 1_000_000,
    issued_at: epoch * work.epoch_secs + 60,
  }
  project.seq += 1
  return { task, isPrimary }
}

const receiptOf = (task: Task, output: string) => ({
  v: 1 as const,
  module_address: task.module_address,
  function: task.function,
  input_hash: task.input_hash,
  output_hash: hashText(output),
  events_hash: hashText('events'),
  gas_used: 5,
  success: true,
})

/** Votes of validators over the record, ascending by key; with another variant, of other validators. */
function finalityOf(
  { profile, validators, former }: Pick<ChaosNetwork, 'profile' | 'validators' | 'former'>,
  record: FinalityRecord,
  flaw: EvidencePlan['flaw'],
  variant: number,
): FinalityVote[] {
  const current: readonly NodeKey[] = validators.nodes
  const few = current.slice(0, 2)
  const voters =
    flaw === 'former_validators'
      ? [...few, ...former]
      : flaw === 'too_few'
        ? few
        : current.slice(variant, variant + 3)
  const votes = voters
    .map(({ seed }) => createFinalityVote(profile, seed, record))
    .sort((a, b) => (a.public_key < b.public_key ? -1 : 1))
  const [first, ...rest] = votes as [FinalityVote, ...FinalityVote[]]
  // The signature is that of another validator.
  return flaw === 'forged' ? [{ ...first, signature: rest[0]?.signature ?? '' }, ...rest] : votes
}
