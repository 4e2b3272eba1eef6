import type { Profile } from '../../identity/index.ts'
import {
  ascends,
  HC,
  hasShape,
  isAddress,
  isCount,
  isFlag,
  isHash,
  isList,
  isRoundId,
  isText,
  type Json,
} from './notation.ts'
import { nodeIdOf, verifies } from './signatures.ts'

const taskShape = {
  v: (value: Json) => value === 1,
  project_id: isHash,
  consensus_hash: isHash,
  epoch: isCount,
  seq: (value: Json) => isCount(value) && value < 2 ** 32,
  set_hash: isHash,
  module_address: isHash,
  function: isText,
  input_hash: isHash,
  gas_limit: isCount,
  issued_at: isCount,
}
const receiptShape = {
  v: (value: Json) => value === 1,
  module_address: isHash,
  function: isText,
  input_hash: isHash,
  output_hash: isHash,
  events_hash: isHash,
  gas_used: isCount,
  success: isFlag,
}
const signatureShapes = { node_id: isText, public_key: isHash, signature: isText, round_signature: isText }
const taskVoteShape = {
  ...signatureShapes,
  kind: (value: Json) => value === 'task',
  round_id: isRoundId,
  receipt_hash: isHash,
  payout_address: isAddress,
  task: (value: Json) => isTask(value),
  receipt: (value: Json) => hasShape(value, receiptShape),
  committee: (value: Json) => hasShape(value, { position: isCount }),
}
const recordShape = {
  v: (value: Json) => value === 1,
  round_id: isRoundId,
  project_id: isHash,
  epoch: isCount,
  set_hash: isHash,
  receipt_hash: isHash,
  gas_used: isCount,
  audited: isFlag,
  voters: (value: Json) =>
    isList(value) &&
    value.every((one: Json) => hasShape(one, { public_key: isHash, payout_address: isAddress })),
}
const finalityVoteShape = {
  ...signatureShapes,
  kind: (value: Json) => value === 'finality',
  round_id: isRoundId,
  receipt_hash: isHash,
  finality: (value: Json) => hasShape(value, recordShape),
}

export const isTask = (value: Json): boolean => hasShape(value, taskShape)

/** Points 1 to 3 of section 17. */
export const isTaskVoteByItself = (profile: Profile, vote: Json): boolean =>
  hasShape(vote, taskVoteShape) &&
  vote.receipt_hash === HC(vote.receipt) &&
  vote.round_id === `task:${HC(vote.task)}` &&
  vote.receipt.module_address === vote.task.module_address &&
  vote.receipt.function === vote.task.function &&
  vote.receipt.input_hash === vote.task.input_hash &&
  vote.receipt.gas_used <= vote.task.gas_limit &&
  isSigned(profile, vote, {
    round: `task\n${vote.round_id}\n${vote.receipt_hash}\n${vote.payout_address}`,
    apart: `${profile.prefix}-receipt-v1:${vote.receipt_hash}`,
  })

/** Points 4 and 5 of section 17. */
export const isOfCommittee = (vote: Json, snapshot: Json, committee: Json): boolean => {
  const member = committee.draw[vote.committee.position]
  const entry = snapshot.entries.find((one: Json) => one.node_key === vote.public_key)
  return (
    vote.task.set_hash === HC(snapshot) &&
    member?.node_key === vote.public_key &&
    entry.payout_address === vote.payout_address
  )
}

/** Section 19. */
export const isFinalityVote = (profile: Profile, vote: Json, validators: readonly string[]): boolean =>
  hasShape(vote, finalityVoteShape) &&
  validators.includes(vote.public_key) &&
  vote.round_id === vote.finality.round_id &&
  vote.receipt_hash === vote.finality.receipt_hash &&
  ascends(vote.finality.voters.map((one: Json) => one.public_key)) &&
  isSigned(profile, vote, {
    round: `finality\n${vote.round_id}\n${vote.receipt_hash}\n\n${HC(vote.finality)}`,
    apart: `${profile.prefix}-finality-v1:${HC(vote.finality)}`,
  })

const isSigned = (profile: Profile, vote: Json, { round, apart }: { round: string; apart: string }) =>
  vote.node_id === nodeIdOf(profile, vote.public_key) &&
  verifies(vote.public_key, apart, vote.signature) &&
  verifies(vote.public_key, `${profile.prefix}-vote-v1\n${round}`, vote.round_signature)
