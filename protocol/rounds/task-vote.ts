import {
  hasShape,
  isAddress,
  isBytes32,
  isExactly,
  isUnsigned,
  isWellFormedText,
  type Shape,
} from '../encoding/index.ts'
import { type ExecutionReceipt, hashReceipt } from '../execution/index.ts'
import { deriveTaskRoundId, type Profile } from '../identity/index.ts'
import type { Ed25519Verifier, SigningKey } from '../signatures/index.ts'
import { isTaskOf, type KeptCommittee } from './committee.ts'
import {
  type RoundVote,
  signVote,
  VoteError,
  type VoteSignatures,
  verifyVote,
  voteShape,
} from './round-vote.ts'
import { isTask, type Task } from './task.ts'

/** The vote of a committee member: what it ran, what came of it, and where it sits. */
export interface TaskVote extends VoteSignatures {
  readonly kind: 'task'
  readonly round_id: string
  readonly receipt_hash: string
  readonly payout_address: string
  readonly task: Task
  readonly receipt: ExecutionReceipt
  /** Not signed: the draw decides it. */
  readonly committee: { readonly position: number }
}

const receiptShape: Shape = {
  v: isExactly(1),
  module_address: isBytes32,
  function: isWellFormedText,
  input_hash: isBytes32,
  output_hash: isBytes32,
  events_hash: isBytes32,
  gas_used: isUnsigned,
  success: (value) => typeof value === 'boolean',
}
const seatShape: Shape = { position: isUnsigned }

/** Whether a value has exactly the eight members of an execution receipt, each of its format. */
export const isExecutionReceipt = (value: unknown): value is ExecutionReceipt => hasShape(value, receiptShape)

const taskVoteShape: Shape = {
  ...voteShape('task'),
  payout_address: isAddress,
  task: isTask,
  receipt: isExecutionReceipt,
  committee: (value) => hasShape(value, seatShape),
}

/** The content of a member's vote. */
export interface TaskVoteContent {
  readonly task: Task
  readonly receipt: ExecutionReceipt
  /** The payout address of the member's snapshot entry. */
  readonly payout_address: string
  readonly position: number
}

/** Signs the vote of a member. Throws {@link FormatError} for a malformed seed. */
export function createTaskVote(profile: Profile, key: SigningKey, content: TaskVoteContent): TaskVote {
  const { task, receipt, payout_address, position } = content
  const round = roundOf(task, receipt, payout_address)
  return { ...round, ...signVote(profile, key, round), task, receipt, committee: { position } }
}

function roundOf(task: Task, receipt: ExecutionReceipt, payoutAddress: string) {
  return {
    kind: 'task',
    round_id: deriveTaskRoundId(task),
    receipt_hash: hashReceipt(receipt),
    payout_address: payoutAddress,
  } as const satisfies RoundVote
}

/**
 * Reads a task vote by points 1 to 3 of section 17, which need no snapshot. Signatures are judged last, because they cost most.
 * @throws {@link VoteError}
 */
export function parseTaskVote(profile: Profile, value: unknown, verify?: Ed25519Verifier): TaskVote {
  if (!isTaskVote(value)) throw new VoteError('it does not have exactly the members of a task vote')
  const { task, receipt, payout_address } = value
  const round = roundOf(task, receipt, payout_address)
  requireVoteOfRun(profile, value, round, task, verify)
  return value
}

/**
 * The checks that execution and task votes share: hash and round id are those of the content of the vote, the receipt is
 * of that run within its gas limit, and the key, the node id and both signatures fit.
 *
 * @param expected The fields that the vote must cover.
 * @param run The requested run.
 * @throws {@link VoteError}
 */
export function requireVoteOfRun(
  profile: Profile,
  vote: VoteSignatures & Pick<TaskVote, 'round_id' | 'receipt_hash' | 'receipt'>,
  expected: RoundVote,
  run: Pick<Task, 'module_address' | 'function' | 'input_hash' | 'gas_limit'>,
  verify?: Ed25519Verifier,
): void {
  const { receipt } = vote
  if (vote.receipt_hash !== expected.receipt_hash)
    throw new VoteError('receipt_hash is not the hash of the receipt')
  if (vote.round_id !== expected.round_id)
    throw new VoteError('round_id is not the hash of the requested run')
  if (
    receipt.module_address !== run.module_address ||
    receipt.function !== run.function ||
    receipt.input_hash !== run.input_hash
  )
    throw new VoteError('the receipt is of another run')
  if (receipt.gas_used > run.gas_limit) throw new VoteError('gas_used is above gas_limit')
  if (!verifyVote(profile, expected, vote, verify))
    throw new VoteError('the key, the node id or a signature does not verify')
}

/** Whether a value has exactly the members of a task vote, each of its format. Nothing is verified. */
export const isTaskVote = (value: unknown): value is TaskVote => hasShape(value, taskVoteShape)

/**
 * Whether a vote belongs to a committee, by points 4 and 5 of section 17: its task is of the snapshot, the draw has its key
 * at its position, and its payout address is that of the entry.
 */
export function hasSeat(seated: KeptCommittee, vote: TaskVote): boolean {
  const seat = seated.seats[vote.committee.position]
  return (
    isTaskOf(seated, vote.task) &&
    seat?.node_key === vote.public_key &&
    seat.entry.payout_address === vote.payout_address
  )
}
