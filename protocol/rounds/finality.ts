import { quorum } from '../committees/index.ts'
import {
  type Hex,
  hashCanonicalJson,
  hasShape,
  isAddress,
  isAscending,
  isBytes32,
  isExactly,
  isRoundId,
  isUnsigned,
  type Shape,
} from '../encoding/index.ts'
import { deriveTaskRoundId, type Profile } from '../identity/index.ts'
import type { Ed25519Verifier, SigningKey } from '../signatures/index.ts'
import {
  type RoundVote,
  signVote,
  VoteError,
  type VoteSignatures,
  validOrNull,
  verifyVote,
  voteShape,
} from './round-vote.ts'
import type { TallyWithVotes } from './tally.ts'
import { roundDeadline, type Task } from './task.ts'

/** A node credited for a round, and the address that receives its rewards. */
export interface Voter {
  readonly public_key: string
  readonly payout_address: string
}

/** The decision of validators about a round. */
export interface FinalityRecord {
  readonly v: 1
  readonly round_id: string
  readonly project_id: string
  readonly epoch: number
  readonly set_hash: string
  readonly receipt_hash: string
  readonly gas_used: number
  /** Validators ran the task themselves, because of the audit draw, a contested round or a fallback. */
  readonly audited: boolean
  /** Ascending by key. */
  readonly voters: readonly Voter[]
}

/** The vote of a validator for a record. */
export interface FinalityVote extends VoteSignatures {
  readonly kind: 'finality'
  readonly round_id: string
  readonly receipt_hash: string
  readonly finality: FinalityRecord
}

/** States of a round. */
export const roundStates = [
  'pending',
  'committee_agreed',
  'escalated',
  'fallback',
  'finalized',
  'failed',
] as const
export type RoundState = (typeof roundStates)[number]

const voterShape: Shape = { public_key: isBytes32, payout_address: isAddress }
const recordShape: Shape = {
  v: isExactly(1),
  round_id: isRoundId,
  project_id: isBytes32,
  epoch: isUnsigned,
  set_hash: isBytes32,
  receipt_hash: isBytes32,
  gas_used: isUnsigned,
  audited: (value) => typeof value === 'boolean',
  voters: (value) => Array.isArray(value) && value.every((one) => hasShape(one, voterShape)),
}
const finalityVoteShape: Shape = {
  ...voteShape('finality'),
  public_key: (value) => typeof value === 'string',
  finality: (value) => hasShape(value, recordShape),
}

/** Hashes a record: `finality_hash = HC(finality record)`. Throws {@link CanonicalJsonError}. */
export function hashFinality(record: FinalityRecord): Hex {
  const known = hashes.get(record)
  if (known !== undefined) return known
  const hash = hashCanonicalJson(record)
  hashes.set(record, hash)
  return hash
}

/** Code that counts votes asks for the hash of each record again with each vote that comes. No record changes. */
const hashes = new WeakMap<FinalityRecord, Hex>()

/** A validator's own run of a task. */
export interface OwnRun {
  readonly receipt_hash: string
  readonly gas_used: number
}

/**
 * Writes the record of a round (section 19). An own run decides about the result; credited are the counted members that
 * voted for it, in a fallback nobody.
 * @param own The validator's own run; null when the round is clean and not audited.
 * @throws {@link VoteError} for a round that is not clean without an own run: nothing is decided.
 */
export function createFinalityRecord(task: Task, tally: TallyWithVotes, own: OwnRun | null): FinalityRecord {
  const [first] = tally.votes
  if (own === null && (!tally.clean || first === undefined))
    throw new VoteError('a contested round is decided by an own run')
  const result = own ?? { receipt_hash: first!.receipt_hash, gas_used: first!.receipt.gas_used }
  return {
    v: 1,
    round_id: deriveTaskRoundId(task),
    project_id: task.project_id,
    epoch: task.epoch,
    set_hash: task.set_hash,
    receipt_hash: result.receipt_hash,
    gas_used: result.gas_used,
    audited: own !== null,
    voters: tally.votes
      .filter((vote) => vote.receipt_hash === result.receipt_hash)
      .map(({ public_key, payout_address }) => ({ public_key, payout_address })),
  }
}

/** The state of a round once its tally is closed and before it is final. */
export function closedRoundState(fallback: boolean, contested: boolean, audited: boolean): RoundState {
  if (fallback) return 'fallback'
  return contested || audited ? 'escalated' : 'committee_agreed'
}

/**
 * Whether the time of a finality request is acceptable: `issued_at ≤ agreed_at ≤ issued_at + round_secs` and
 * `agreed_at ≤ now + max_skew`. The audit block follows from `agreed_at`, so nobody may choose it freely.
 * @param now Unix seconds.
 */
export function isAgreedAtAcceptable(
  agreedAt: number,
  task: Pick<Task, 'issued_at'>,
  limits: { readonly round_secs: number; readonly max_skew: number },
  now: number,
): boolean {
  return (
    task.issued_at <= agreedAt &&
    agreedAt <= roundDeadline(task, limits.round_secs) &&
    agreedAt <= now + limits.max_skew
  )
}

/** Signs a record as a validator. Throws {@link FormatError} for a malformed seed, {@link CanonicalJsonError}. */
export function createFinalityVote(profile: Profile, key: SigningKey, record: FinalityRecord): FinalityVote {
  const { extra: _, ...round } = roundOf(record)
  return { ...round, ...signVote(profile, key, roundOf(record)), finality: record }
}

function roundOf(record: FinalityRecord) {
  return {
    kind: 'finality',
    round_id: record.round_id,
    receipt_hash: record.receipt_hash,
    extra: hashFinality(record),
  } as const satisfies RoundVote
}

/**
 * Reads a finality vote (section 19): the key is a current validator's, node id and both signatures fit, `round_id` and
 * `receipt_hash` are the record's, and voters ascend.
 * @param validators Public keys of the current validators.
 * @throws {@link VoteError}
 */
export function parseFinalityVote(
  profile: Profile,
  value: unknown,
  validators: readonly string[],
  verify?: Ed25519Verifier,
): FinalityVote {
  if (!isFinalityVote(value)) throw new VoteError('it does not have exactly the members of a finality vote')
  const record = value.finality
  if (!validators.includes(value.public_key)) throw new VoteError('its key is not a current validator')
  if (value.round_id !== record.round_id) throw new VoteError('round_id is not that of the record')
  if (value.receipt_hash !== record.receipt_hash)
    throw new VoteError('receipt_hash is not that of the record')
  if (!isAscending(record.voters.map((voter) => voter.public_key)))
    throw new VoteError('the voters do not ascend')
  if (!verifyVote(profile, roundOf(record), value, verify))
    throw new VoteError('the key, the node id or a signature does not verify')
  return value
}

/** Whether a value has exactly the members of a finality vote. Signatures are judged by {@link parseFinalityVote}. */
export const isFinalityVote = (value: unknown): value is FinalityVote => hasShape(value, finalityVoteShape)

/**
 * The record that a quorum of the current validators signed, or null. Votes that are invalid, of others or repeated count
 * for nothing; a validator that signed two records counts for both, which only a quorum of faulty ones could abuse.
 */
export function finalRecord(
  profile: Profile,
  votes: readonly unknown[],
  validators: readonly string[],
): FinalityRecord | null {
  const valid = votes.map((value) => validOrNull(() => parseFinalityVote(profile, value, validators)))
  return signedRecord(
    valid.filter((vote) => vote !== null),
    validators,
  )
}

/** {@link finalRecord} of votes that {@link parseFinalityVote} has read, each of which was checked when it came. */
export function signedRecord(
  votes: readonly FinalityVote[],
  validators: readonly string[],
): FinalityRecord | null {
  const current = new Set(validators)
  const signers = new Map<string, Set<string>>()
  for (const { public_key: key, finality } of votes.filter((vote) => current.has(vote.public_key))) {
    const hash = hashFinality(finality)
    const own = signers.get(hash) ?? new Set()
    signers.set(hash, own.add(key))
    if (own.size >= quorum(current.size)) return finality
  }
  return null
}
