import {
  hashCanonicalJson,
  hasShape,
  isAddress,
  isAscending,
  isBytes32,
  isNonce,
  isUnsigned,
  isWellFormedText,
  type Shape,
} from '../encoding/index.ts'
import { type ExecutionReceipt, hashReceipt, hashState, type StateTransition } from '../execution/index.ts'
import { type DirectRound, deriveDirectRoundId, type Profile } from '../identity/index.ts'
import type { Ed25519Verifier, SigningKey } from '../signatures/index.ts'
import { type RoundVote, signVote, VoteError, type VoteSignatures, voteShape } from './round-vote.ts'
import { isExecutionReceipt, requireVoteOfRun } from './task-vote.ts'

/** The vote of a node in a direct round. */
export interface ExecutionVote extends VoteSignatures {
  readonly kind: 'execution'
  readonly round_id: string
  readonly receipt_hash: string
  readonly payout_address: string
  readonly round: DirectRound
  readonly receipt: ExecutionReceipt
  /** How the stores of modules changed, ascending by address; only of modules with storage. */
  readonly state?: readonly StateTransition[]
}

/** The content of a vote in a direct round. */
export type ExecutionVoteContent = Pick<ExecutionVote, 'round' | 'receipt' | 'payout_address' | 'state'>

const roundShape: Shape = {
  module_address: isBytes32,
  function: isWellFormedText,
  input_hash: isBytes32,
  gas_limit: isUnsigned,
  issued_at: isUnsigned,
  nonce: isNonce,
}

/** Whether a value has exactly the members of a direct round, each of its format. */
export const isDirectRound = (value: unknown): value is DirectRound => hasShape(value, roundShape)

const transitionShape: Shape = {
  module_address: isBytes32,
  pre_root: isBytes32,
  pre_seq: isUnsigned,
  post_root: isBytes32,
  post_seq: isUnsigned,
}
const statelessShape: Shape = {
  ...voteShape('execution'),
  payout_address: isAddress,
  round: isDirectRound,
  receipt: isExecutionReceipt,
}
const statefulShape: Shape = { ...statelessShape, state: isState }

/** Signs the vote of a node. Throws {@link FormatError} for a malformed seed, or states that do not ascend. */
export function createExecutionVote(
  profile: Profile,
  key: SigningKey,
  content: ExecutionVoteContent,
): ExecutionVote {
  const { round, receipt, payout_address, state } = content
  const { extra: _, ...signed } = roundOf(content)
  const vote = { ...signed, ...signVote(profile, key, roundOf(content)), payout_address, round, receipt }
  return state === undefined ? vote : { ...vote, state }
}

function roundOf({ round, receipt, payout_address, state }: ExecutionVoteContent) {
  return {
    kind: 'execution',
    round_id: deriveDirectRoundId(round),
    receipt_hash: hashReceipt(receipt),
    payout_address,
    ...(state === undefined ? {} : { extra: hashState(state) }),
  } as const satisfies RoundVote
}

/**
 * Reads an execution vote: hash and round id are those of its receipt and round, the receipt is of the round's run within
 * its gas limit, and the key, the node id and both signatures fit.
 * @throws {@link VoteError}
 */
export function parseExecutionVote(
  profile: Profile,
  value: unknown,
  verify?: Ed25519Verifier,
): ExecutionVote {
  if (!isExecutionVoteShape(value))
    throw new VoteError('it does not have exactly the members of an execution vote')
  requireVoteOfRun(profile, value, roundOf(value), value.round, verify)
  return value
}

/** The hash by which votes in a direct round are counted: of the receipt, and of the changes of storage if there are any. */
export const executionSubject = ({ receipt_hash, state }: ExecutionVote): string =>
  state === undefined ? receipt_hash : hashCanonicalJson([receipt_hash, hashState(state)])

function isExecutionVoteShape(value: unknown): value is ExecutionVote {
  return hasShape(value, statelessShape) || hasShape(value, statefulShape)
}

/** Ascending is judged here, because hashing a state that does not ascend throws. */
function isState(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => hasShape(one, transitionShape)) &&
    isAscending(value.map((one) => one.module_address))
  )
}
