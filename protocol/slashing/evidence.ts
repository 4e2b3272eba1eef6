import { quorum } from '../committees/index.ts'
import { basisPoints } from '../earnings/index.ts'
import {
  FormatError,
  type Hex,
  hasExactKeys,
  hashCanonicalJson,
  hashText,
  isAscending,
  isBytes32,
  isObject,
  isOneOf,
  isRoundId,
  isUnsigned,
} from '../encoding/index.ts'
import { deriveTaskRoundId, type NetworkParams, type Profile } from '../identity/index.ts'
import type { ProjectRules } from '../manifest/index.ts'
import {
  type FinalityRecord,
  isTask,
  isTaskOf,
  parseFinalityVote,
  parseTaskVote,
  type SeatedTask,
  type Task,
  type TaskVote,
  VoteError,
} from '../rounds/index.ts'
import type { Ed25519Verifier } from '../signatures/index.ts'

/** Offences that cost collateral. */
export const offences = ['equivocation', 'invalid_result', 'missed_sla'] as const
export type Offence = (typeof offences)[number]

/** Evidence as posted. The members of `proof` depend on the kind; {@link checkEvidence} reads it. */
export interface Evidence {
  readonly v: 1
  readonly kind: Offence
  readonly project_id: string
  readonly epoch: number
  readonly round_id: string
  readonly subscription_id: string
  readonly node_key: string
  readonly consensus_hash: string
  readonly proof: Readonly<Record<string, unknown>>
}

/** States of a recorded slash. */
export const slashStates = ['recorded', 'proposed', 'disputed', 'cancelled', 'executed'] as const

/** Thrown for evidence that does not prove its offence. */
export class EvidenceError extends Error {
  override readonly name = 'EvidenceError'
  readonly code = 'invalid_evidence'

  constructor(reason: string) {
    super(`This evidence proves nothing: ${reason}.`)
  }
}

const evidenceKeys = [
  'v',
  'kind',
  'project_id',
  'epoch',
  'round_id',
  'subscription_id',
  'node_key',
  'consensus_hash',
  'proof',
]

/**
 * Reads a posted body: exactly its members, each of its format. The content of `proof` is judged by {@link checkEvidence}.
 * @throws {@link FormatError} naming the member: a malformed body is `invalid_field`, not `invalid_evidence`.
 */
export function parseEvidence(value: unknown): Evidence {
  const refuse = (field: string, expected: string): never => {
    throw new FormatError(field, expected)
  }
  if (!isObject(value) || !hasExactKeys(value, evidenceKeys))
    return refuse('evidence', `an object with exactly ${evidenceKeys.join(', ')}`)
  if (value.v !== 1) refuse('v', '1')
  if (!isOneOf(offences)(value.kind)) refuse('kind', `one of ${offences.join(', ')}`)
  for (const key of ['project_id', 'subscription_id', 'node_key', 'consensus_hash'])
    if (!isBytes32(value[key])) refuse(key, '32 bytes in lower-case hex')
  if (!isUnsigned(value.epoch)) refuse('epoch', 'an integer')
  if (!isRoundId(value.round_id)) refuse('round_id', 'a round id')
  if (!isObject(value.proof)) refuse('proof', 'an object')
  return value as unknown as Evidence
}

/** Hashes evidence with its proof: `evidence_hash = HC(evidence)`. Throws {@link CanonicalJsonError}. */
export const hashEvidence = (evidence: Evidence): Hex => hashCanonicalJson(evidence)

/**
 * Names an offence: (kind, `round_id`, `node_key`). A second evidence for one offence returns the existing record, so that
 * other validator subsets or swapped votes never slash twice.
 */
export function offenceKey({ kind, round_id, node_key }: Evidence): string {
  return `${kind}:${round_id}:${node_key}`
}

/** The id of an offence in the contract: keccak-256 of {@link offenceKey}. */
export const deriveOffenceId = (evidence: Evidence): Hex => hashText(offenceKey(evidence))

/** The facts that the hub or a node checks evidence against. */
export interface EvidenceContext {
  /** Public keys of the current validators. */
  readonly validators: readonly string[]
  /** Subscription of `node_key` in the project; null if the node has none. */
  readonly subscription_id: string | null
  /**
   * Seats the committee of a task from the attested snapshot of (project, epoch); null when none is known. Only
   * `missed_sla` needs it.
   */
  readonly seat: (task: Task) => SeatedTask | null
}

interface Check {
  readonly profile: Profile
  readonly evidence: Evidence
  readonly context: EvidenceContext
  readonly verify: Ed25519Verifier | undefined
}

/**
 * Checks evidence by section 24, whose table says what the `proof` of each kind holds and has to show.
 * @returns The hash of the evidence.
 * @throws {@link EvidenceError}
 */
export function checkEvidence(
  profile: Profile,
  evidence: Evidence,
  context: EvidenceContext,
  verify?: Ed25519Verifier,
): Hex {
  if (context.subscription_id !== evidence.subscription_id)
    throw new EvidenceError('the node does not have this subscription in the project')
  const proofs = {
    equivocation: checkEquivocation,
    invalid_result: checkInvalidResult,
    missed_sla: checkMissedSla,
  }
  try {
    proofs[evidence.kind]({ profile, evidence, context, verify })
  } catch (error) {
    if (error instanceof VoteError) throw new EvidenceError(`a vote is not valid (${error.reason})`)
    throw error
  }
  return hashEvidence(evidence)
}

function checkEquivocation(check: Check): void {
  const { first, second } = requireProof(check.evidence, ['first', 'second'])
  const votes = [requireFittingVote(check, first), requireFittingVote(check, second)]
  if (votes[0]!.receipt_hash === votes[1]!.receipt_hash) throw new EvidenceError('both votes agree')
}

function checkInvalidResult(check: Check): void {
  const { vote, finality } = requireProof(check.evidence, ['vote', 'finality'])
  const list = requireFinalityList(finality, check.context.validators)
  const { task, receipt_hash } = requireFittingVote(check, vote)
  const record = requireFinality(check, list)
  if (!record.audited) throw new EvidenceError('no validator ran the task itself')
  if (record.set_hash !== task.set_hash) throw new EvidenceError('the record is of another set')
  if (record.receipt_hash === receipt_hash) throw new EvidenceError('the vote agrees with the record')
}

function checkMissedSla(check: Check): void {
  const {
    evidence,
    context: { validators, seat },
  } = check
  const { task, finality } = requireProof(evidence, ['task', 'finality'])
  if (!isTask(task)) throw new EvidenceError('the task is malformed')
  if (deriveTaskRoundId(task) !== evidence.round_id) throw new EvidenceError('the task is of another round')
  requireTaskOf(evidence, task)
  const list = requireFinalityList(finality, validators)
  const record = requireFinality(check, list)
  if (record.set_hash !== task.set_hash) throw new EvidenceError('the record is of another set')
  if (record.voters.some((voter) => voter.public_key === evidence.node_key))
    throw new EvidenceError('the node voted')
  const seated = seat(task)
  if (seated === null || !isTaskOf(seated, task)) throw new EvidenceError('the set is not known')
  if (!seated.seats.some((one) => one.role === 'primary' && one.node_key === evidence.node_key))
    throw new EvidenceError('the node is not a primary of the task')
}

function requireProof<Key extends string>(evidence: Evidence, keys: readonly Key[]): Record<Key, unknown> {
  if (!hasExactKeys(evidence.proof, keys))
    throw new EvidenceError(`its proof does not have exactly ${keys.join(', ')}`)
  return evidence.proof as Record<Key, unknown>
}

/** A vote fits: points 1 to 3 of section 17 hold, and it is of the node, the round, the project, epoch and consensus. */
function requireFittingVote({ profile, evidence, verify }: Check, value: unknown): TaskVote {
  const vote = parseTaskVote(profile, value, verify)
  if (vote.public_key !== evidence.node_key) throw new EvidenceError('a vote is of another node')
  if (vote.round_id !== evidence.round_id) throw new EvidenceError('a vote is of another round')
  requireTaskOf(evidence, vote.task)
  return vote
}

function requireTaskOf(evidence: Evidence, task: Task): void {
  if (
    task.project_id !== evidence.project_id ||
    task.epoch !== evidence.epoch ||
    task.consensus_hash !== evidence.consensus_hash
  )
    throw new EvidenceError('the task is of another project, epoch or consensus')
}

/** The list is bounded before any signature is judged: no more votes than validators can be valid and distinct. */
function requireFinalityList(value: unknown, validators: readonly string[]): readonly unknown[] {
  if (!Array.isArray(value) || value.length < quorum(new Set(validators).size))
    throw new EvidenceError('the finality list has no quorum')
  if (value.length > validators.length) throw new EvidenceError('the finality list has repeated votes')
  return value
}

/**
 * A finality list holds: strictly ascending by key, every vote valid by section 19, all over one record of the evidence's
 * round, project and epoch, and at least a quorum of the current validators.
 */
function requireFinality(
  { profile, evidence, context, verify }: Check,
  list: readonly unknown[],
): FinalityRecord {
  const votes = list.map((vote) => parseFinalityVote(profile, vote, context.validators, verify))
  if (!isAscending(votes.map((vote) => vote.public_key)))
    throw new EvidenceError('the finality list does not ascend')
  const record = votes[0]!.finality
  const hash = hashCanonicalJson(record)
  if (votes.some((vote) => hashCanonicalJson(vote.finality) !== hash))
    throw new EvidenceError('the finality list is over several records')
  const { round_id, project_id, epoch } = evidence
  if (record.round_id !== round_id || record.project_id !== project_id || record.epoch !== epoch)
    throw new EvidenceError('the record is of another round')
  return record
}

/** The rate of an offence in basis points: the network's for equivocation, else the manifest's. */
export function slashRate(
  kind: Offence,
  consensus: ProjectRules,
  params: Pick<NetworkParams, 'slash_equivocation_bp'>,
): number {
  return kind === 'equivocation' ? params.slash_equivocation_bp : consensus.economics.slashing_bp[kind]
}

/** The amount slashed for an offence: `floor(bonded × bp / 10000)`, in base units. */
export const slashAmount = (bonded: string, bp: number): string => String(basisPoints(BigInt(bonded), bp))
