import { isAtFault, type MissReason } from '../../durable-objects/round/states.ts'
import { drawCommittee, paramsOfEpoch, type SnapshotEntry } from '../../protocol/committees/index.ts'
import { defaultNetworkParams, type Profile } from '../../protocol/identity/index.ts'
import type { ProjectRules } from '../../protocol/manifest/index.ts'
import type { SeatedTask, Task } from '../../protocol/rounds/index.ts'
import {
  checkEvidence,
  deriveOffenceId,
  type Evidence,
  type EvidenceContext,
  EvidenceError,
  hashEvidence,
  slashAmount,
  slashRate,
} from '../../protocol/slashing/index.ts'
import { ApiError, unavailable } from '../errors.ts'
import { verifyNatively } from '../native-ed25519.ts'
import { findRound } from '../rounds/find-round.ts'
import type { Services } from '../services.ts'
import type { ReadSet } from '../stores/committee-sets.ts'
import type { RoundFile } from '../stores/round-files.ts'
import type { NewSlash } from '../stores/slashes.ts'
import { standingOf } from '../stores/subscription-standing.ts'
import type { Subscription } from '../stores/subscriptions.ts'
import { keysForEvidence } from '../validators/deciding-validators.ts'

type Records = Pick<
  Services,
  | 'chainIndex'
  | 'clock'
  | 'committeeSets'
  | 'devices'
  | 'paramsSchedule'
  | 'projectVersions'
  | 'roundFiles'
  | 'roundObjects'
  | 'rounds'
  | 'slashes'
  | 'subscriptions'
  | 'validators'
>

export interface ProvenOffence {
  slash: NewSlash
  /** The collateral of the subscription. */
  bonded: string
  disputeWindowSecs: number
}

/** `early` where everything holds, and only the end of the round can say whether its member is to blame. */
export type Proof = ({ status: 'proven' } & ProvenOffence) | { status: 'early' }

export type BeforeDraw = (set: ReadSet) => Promise<void>

/**
 * Compares evidence with the records of the hub: the validators of its epoch, the consensus it names, and the subscription that
 * answers for the key. The offence costs a share of the collateral that is bonded `now`, in Unix seconds. @param beforeDraw -
 * Called before a committee is drawn, which reads a whole set.
 * @throws {@link ApiError} 422 `invalid_evidence`; 503 `unavailable` while the index is behind the chain.
 */
export async function proveOffence(
  records: Records,
  profile: Profile,
  evidence: Evidence,
  beforeDraw: BeforeDraw,
  now: number,
): Promise<Proof> {
  // Before what is bonded is read, which may be indexed meanwhile.
  const isBehind = await records.chainIndex.isBehind()
  const [found, consensus, networkNow] = await Promise.all([
    records.subscriptions.find(evidence.subscription_id),
    records.projectVersions.consensus(evidence.project_id, evidence.consensus_hash),
    records.clock.now(),
  ])
  if (consensus === null)
    throw refused(
      `The project ${evidence.project_id} has published no version with the consensus ${evidence.consensus_hash}.`,
    )
  const subscription = await answerable(records, evidence, consensus, found)
  const context = {
    validators: await keysForEvidence(records, evidence, consensus.work.epoch_secs, networkNow),
    subscription_id: subscription.subscriptionId,
  }
  const set = once(() => seatingSet(records, evidence))
  const seat = async (task: Task) => (await set())?.seat(profile, consensus, task, beforeDraw) ?? null
  await requireProven(seat, profile, evidence, context)
  await requireSeat(await set(), evidence)
  if (evidence.kind !== 'equivocation' && (await blameOf(records, evidence)) === 'open')
    return { status: 'early' }
  // An offence is recorded once, so what it costs must not be that of half an index.
  if (isBehind) throw unavailable('The index of the chain', new Error('it is far behind the chain'))
  return {
    status: 'proven',
    ...slashOf(records, evidence, subscription, consensus, now),
    disputeWindowSecs: consensus.work.dispute_window_secs,
  }
}

/**
 * The subscription, if it is of this key and project and its owner had the device bound between the snapshot of the epoch and
 * its end: an owner who unbinds a device, or passes it on, answers for its work until then.
 */
async function answerable(
  { devices }: Records,
  { project_id, node_key, epoch }: Evidence,
  { work }: ProjectRules,
  found: Subscription | null,
): Promise<Subscription> {
  if (found !== null && found.projectId === project_id && found.nodeKey === node_key) {
    const begins = epoch * work.epoch_secs
    const snapshotAt = begins - defaultNetworkParams.snapshot_lead_secs
    if (await devices.wasBound(found, snapshotAt, begins + work.epoch_secs)) return found
  }
  throw refused(
    `The subscription is not that of the key ${node_key} in the project and the epoch of this evidence.`,
  )
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= read()
    return result
  }
}

/** The attested set of an epoch, as far as evidence needs it. It may be large, and is read once. */
interface SeatingSet {
  /** Draws the committee of a task. The set is attested, so its hash is known. */
  seat: (profile: Profile, consensus: ProjectRules, task: Task, beforeDraw: BeforeDraw) => Promise<SeatedTask>
  /** The subscription that the key is seated with; null for a key that is not in the set. */
  subscription: () => Promise<string | null>
}

async function seatingSet(
  { committeeSets, paramsSchedule }: Records,
  { project_id, epoch, node_key }: Evidence,
): Promise<SeatingSet | null> {
  const set = await committeeSets.findAttested(project_id, epoch)
  if (set === null) return null
  const { setHash } = set
  let entry: Promise<SnapshotEntry | null> | undefined
  return {
    async seat(profile, { work }, { seq }, beforeDraw) {
      await beforeDraw(set)
      const read = await committeeSets.readCandidatesAnd(setHash, node_key)
      entry = Promise.resolve(read.entry)
      const { beacon, weight_cap, entries } = read.snapshot
      const { weight_unit_wei } = paramsOfEpoch(paramsSchedule, epoch, work.epoch_secs)
      const of = { beacon: beacon.value, project_id, epoch, seq, set_hash: setHash }
      const weighed = { entries, weight_cap, weight_unit_wei, committee: work.committee }
      const { draw } = drawCommittee(profile, { ...of, ...weighed })
      return { set_hash: setHash, snapshot: read.snapshot, seq, seats: draw }
    },
    async subscription() {
      entry ??= committeeSets.findEntry(setHash, node_key)
      return (await entry)?.subscription_id ?? null
    },
  }
}

/**
 * The attested set says whose collateral a key was seated with. A device that changes hands within the epoch is bound by both owners, and the
 * offence counts once, against the one who is concerned.
 */
async function requireSeat(set: SeatingSet | null, { node_key, subscription_id }: Evidence): Promise<void> {
  const seated = (await set?.subscription()) ?? null
  if (seated !== null && seated !== subscription_id)
    throw refused(`The key ${node_key} was seated in this epoch with the subscription ${seated}.`)
}

/** The check asks for the committee last. Its snapshot may be large: it is read for evidence that lacks nothing else, then checked again. */
async function requireProven(
  seat: (task: Task) => Promise<SeatedTask | null>,
  profile: Profile,
  evidence: Evidence,
  context: Omit<EvidenceContext, 'seat'>,
): Promise<void> {
  const asked: Task[] = []
  const noteTask = (task: Task) => {
    asked.push(task)
    return null
  }
  try {
    check(profile, evidence, { ...context, seat: noteTask })
  } catch (refusal) {
    // A refusal is expected here if the check asked for the seats; any other error is thrown again.
    if (asked.length === 0 || !(refusal instanceof ApiError)) throw refusal
  }
  const [task] = asked
  if (task === undefined) return
  const seated = await seat(task)
  check(profile, evidence, { ...context, seat: () => seated })
}

/**
 * A round that failed blames nobody, and so does one that became final too late to be paid: the hub's record decides once the round is over. Two
 * votes of one member need no result. @param evidence - Proven apart from the fault. @returns `open` while the round is not over.
 */
async function blameOf(records: Records, evidence: Evidence): Promise<'open' | 'at_fault'> {
  const { kind, round_id } = evidence
  const file = await records.roundFiles.round(round_id)
  // Records of an earlier form lack it.
  if (file?.published === undefined) {
    if (file?.finality === null) throw innocent(failed)
    // A row alone decides nothing, nor that nobody voted.
    if ((file === null || kind === 'missed_sla') && (await findRound(records, round_id)) !== null)
      return 'open'
    // All that a wrong vote takes is signed.
    if (kind === 'invalid_result') return 'at_fault'
    throw innocent('the hub has no record of the round')
  }
  if (file.published.round.state === 'failed') throw innocent(failed)
  if (file.is_unpaid)
    throw innocent('the round became final after the receipt of its epoch had stopped waiting for it')
  if (kind === 'missed_sla') await requireFault(records, evidence, file)
  return 'at_fault'
}

/**
 * A missed vote needs fault: its member was asked, could answer, and gave no valid vote. A fallback asked nobody. A node that is slashed for
 * another offence in the round is not slashed for silence too.
 */
async function requireFault(
  { slashes }: Records,
  evidence: Evidence,
  { published }: RoundFile,
): Promise<void> {
  const { round, leases } = published
  if (round.fallback !== null) throw innocent('the round was a fallback, without a committee')
  const others = await Promise.all(
    excusingOffences(evidence).map((offenceId) => slashes.findOffence(offenceId)),
  )
  if (others.some((other) => other !== null))
    throw innocent('the node is slashed for another offence in this round')
  const lease = leases.find(({ nodeKey }) => nodeKey === evidence.node_key)
  if (lease === undefined) throw innocent('the node was not asked')
  if (lease.state === 'finalized') throw innocent('the node gave a valid vote')
  if (!isAtFault(lease)) throw innocent(excuseOf(lease.missedBecause))
}

/** Ids of the offences for which a node is slashed instead of for a missed vote in the same round. */
export const excusingOffences = (evidence: Evidence): string[] =>
  evidence.kind === 'missed_sla'
    ? (['equivocation', 'invalid_result'] as const).map((kind) => deriveOffenceId({ ...evidence, kind }))
    : []

const refused = (why: string) => new ApiError('invalid_evidence', why)

const failed = 'the round failed, and nodes are not slashed for failed rounds'
const innocent = (why: string) => refused(`This evidence proves nothing: ${why}.`)

const excuses: Partial<Record<MissReason, string>> = {
  full: 'the node had no free slot when the task was given',
  absent: 'the node was not connected when the set was built, or was excluded',
  not_accepted: 'the node never answered its offer, and may not have received it',
  hub_away:
    'the hub was offline while the node could have answered, or had banned it and the node was not back yet, or network parameters changed less than two days before',
  unserved:
    'the node declined because the hub did not serve the set, the rules, the module or the input, because it could not know yet that its slot was free, or because network parameters changed less than two days before',
  cut_short: 'the round started too late to leave the node enough time',
  too_large: 'the result is too large to be sent with a vote',
}
const excuseOf = (reason: MissReason | null): string =>
  (reason && excuses[reason]) ?? 'the node did not receive its offer'

/** @throws {@link ApiError} 422 `invalid_evidence`. */
function check(profile: Profile, evidence: Evidence, context: EvidenceContext): void {
  try {
    checkEvidence(profile, evidence, context, verifyNatively)
  } catch (error) {
    throw error instanceof EvidenceError ? refused(error.message) : error
  }
}

function slashOf(
  { paramsSchedule }: Records,
  evidence: Evidence,
  subscription: Subscription,
  consensus: ProjectRules,
  now: number,
): Pick<ProvenOffence, 'slash' | 'bonded'> {
  const params = paramsOfEpoch(paramsSchedule, evidence.epoch, consensus.work.epoch_secs)
  const bp = slashRate(evidence.kind, consensus, params)
  const bonded = standingOf(subscription, now).collateral
  const amount = slashAmount(bonded, bp)
  const slash: NewSlash = {
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
  return { slash, bonded }
}
