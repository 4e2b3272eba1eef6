import {
  type FinalityVote,
  type SeatedCommittee,
  seatCommittee,
  type Task,
} from '../../protocol/consensus/index.ts'
import { defaultNetworkParams, type Profile } from '../../protocol/identity/index.ts'
import type { Consensus } from '../../protocol/manifest/index.ts'
import {
  checkEvidence,
  deriveOffenceId,
  type Evidence,
  type EvidenceContext,
  EvidenceError,
  hashEvidence,
  slashAmount,
  slashRate,
} from '../../protocol/settlement/index.ts'
import { ApiError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { NewSlash } from '../stores/slashes.ts'
import { standingOf } from '../stores/subscription-standing.ts'
import type { Subscription } from '../stores/subscriptions.ts'

type Records = Pick<
  Services,
  'committeeSets' | 'devices' | 'network' | 'projectFunding' | 'projectVersions' | 'rounds' | 'subscriptions'
>

/** An offence that is proven, and the time in which its owner can dispute it. */
export interface ProvenOffence {
  slash: NewSlash
  disputeWindowSecs: number
}

/**
 * Holds evidence against what the hub knows: the current validators, the consensus it names, and who answers for the key.
 * What it costs is a share of what is bonded now.
 *
 * @param now - Unix seconds.
 * @throws {@link ApiError} 422 `invalid_evidence`.
 */
export async function proveOffence(
  records: Records,
  profile: Profile,
  evidence: Evidence,
  now: number,
): Promise<ProvenOffence> {
  const [found, consensus, validators] = await Promise.all([
    records.subscriptions.find(evidence.subscription_id),
    records.projectVersions.consensus(evidence.project_id, evidence.consensus_hash),
    records.network.validators(),
  ])
  if (consensus === null)
    throw new ApiError(
      'invalid_evidence',
      `The project ${evidence.project_id} has published no version with the consensus ${evidence.consensus_hash}.`,
    )
  const subscription = await answerable(records, evidence, consensus, found)
  const context = {
    validators: validators.map(({ publicKey }) => publicKey),
    subscription_id: subscription.subscriptionId,
  }
  const readSet = once(() => records.committeeSets.attested(evidence.project_id, evidence.epoch))
  await requireProven(readSet, profile, evidence, consensus, context)
  await requireSeat(readSet, evidence)
  if (evidence.kind === 'missed_sla') await requireCommittee(records, evidence)
  return {
    slash: slashOf(evidence, subscription, consensus, now),
    disputeWindowSecs: consensus.work.dispute_window_secs,
  }
}

/**
 * The subscription if it answers for the key in that epoch: it is of this key and project, and its owner had the device bound
 * between the snapshot of the epoch and its end. An owner who unbinds a device, or passes it on, still answers for what it
 * did before.
 */
async function answerable(
  { devices }: Records,
  { project_id, node_key, epoch }: Evidence,
  { work }: Consensus,
  found: Subscription | null,
): Promise<Subscription> {
  if (found !== null && found.projectId === project_id && found.nodeKey === node_key) {
    const begins = epoch * work.epoch_secs
    const snapshotAt = begins - defaultNetworkParams.snapshot_lead_secs
    if (await devices.wasBound(found, snapshotAt, begins + work.epoch_secs)) return found
  }
  throw new ApiError(
    'invalid_evidence',
    `The subscription is not that of the key ${node_key} in the project and the epoch of this evidence.`,
  )
}

type ReadSet = () => ReturnType<Records['committeeSets']['attested']>

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= read()
    return result
  }
}

/**
 * The attested set of the epoch says whose collateral a key was seated with. A device that changes hands within the epoch
 * is bound by both, and the offence counts once: it must not be held against the one who had nothing to do with it, nor
 * against nothing.
 */
async function requireSeat(readSet: ReadSet, { node_key, subscription_id }: Evidence): Promise<void> {
  const entry = (await readSet())?.snapshot.entries.find((one) => one.node_key === node_key)
  if (entry !== undefined && entry.subscription_id !== subscription_id)
    throw new ApiError(
      'invalid_evidence',
      `The key ${node_key} was seated in this epoch with the subscription ${entry.subscription_id}.`,
    )
}

/**
 * The check asks for the committee last. The snapshot that it is drawn from may be large, so it is read only for evidence
 * that lacks nothing else, which is then checked once more.
 */
async function requireProven(
  readSet: ReadSet,
  profile: Profile,
  evidence: Evidence,
  { work }: Consensus,
  context: Omit<EvidenceContext, 'seat'>,
): Promise<void> {
  let needsSeat = false
  const noteNeed = () => {
    needsSeat = true
    return null
  }
  const refusal = refusalOf(profile, evidence, { ...context, seat: noteNeed })
  if (!needsSeat) return refuse(refusal)
  const set = await readSet()
  const seat = (task: Task): SeatedCommittee | null =>
    set &&
    seatCommittee(profile, set.snapshot, task.seq, {
      committee: work.committee,
      params: defaultNetworkParams,
    })
  refuse(refusalOf(profile, evidence, { ...context, seat }))
}

/**
 * A task of a project that cannot pay is a fallback: validators run it, and nobody is asked for a vote, though a committee
 * could be drawn for it. Its finality record is like that of an audited round in which nobody voted right. The hub's own
 * record of the round tells the two apart; without one the hub goes by when it held the project to be underfunded. A
 * finality record with a voter is none of a fallback.
 *
 * @param evidence - Proven otherwise.
 */
async function requireCommittee({ projectFunding, rounds }: Records, evidence: Evidence): Promise<void> {
  const { task, finality } = evidence.proof as unknown as { task: Task; finality: readonly [FinalityVote] }
  const { audited, voters } = finality[0].finality
  if (!audited || voters.length > 0) return
  const round = await rounds.find(evidence.round_id)
  // The task and the period were dated by clocks that may differ.
  const isFallback =
    round === null
      ? await projectFunding.wasUnderfunded(
          evidence.project_id,
          task.issued_at,
          defaultNetworkParams.max_skew,
        )
      : round.fallback !== null
  if (isFallback)
    throw new ApiError(
      'invalid_evidence',
      'This evidence proves nothing: nobody voted, and the project was underfunded when the task was issued, so the round was a fallback without a committee.',
    )
}

function refusalOf(profile: Profile, evidence: Evidence, context: EvidenceContext): EvidenceError | null {
  try {
    checkEvidence(profile, evidence, context)
    return null
  } catch (error) {
    if (error instanceof EvidenceError) return error
    throw error
  }
}

function refuse(refusal: EvidenceError | null): void {
  if (refusal !== null) throw new ApiError('invalid_evidence', refusal.message)
}

function slashOf(
  evidence: Evidence,
  subscription: Subscription,
  consensus: Consensus,
  now: number,
): NewSlash {
  const bp = slashRate(evidence.kind, consensus, defaultNetworkParams)
  const amount = slashAmount(standingOf(subscription, now).collateral, bp)
  return {
    evidenceHash: hashEvidence(evidence),
    offenceId: deriveOffenceId(evidence),
    kind: evidence.kind,
    projectId: evidence.project_id,
    roundId: evidence.round_id,
    subscriptionId: subscription.subscriptionId,
    owner: subscription.owner,
    nodeId: subscription.nodeId,
    bp,
    amount,
    // The contract takes no proposal of nothing.
    closedReason: amount !== '0' ? null : bp === 0 ? 'no_penalty' : 'no_collateral',
  }
}
