import type { Profile } from '../../identity/index.ts'
import { H, HC, type Json, quorum, Refusal, raw, text } from './notation.ts'
import { isFinalityVote, isOfCommittee, isTaskVoteByItself } from './votes.ts'

/** Section 18. */
export function tallyOf(
  profile: Profile,
  { snapshot, committee, task, votes }: { snapshot: Json; committee: Json; task: Json; votes: Json[] },
): Json {
  const isValid = (vote: Json): boolean =>
    isTaskVoteByItself(profile, vote) &&
    vote.round_id === `task:${HC(task)}` &&
    isOfCommittee(vote, snapshot, committee)
  const valid = votes.filter(isValid)
  const voters = [...new Set(valid.map((vote) => vote.public_key))].sort()
  const hashesOf = (key: string) =>
    new Set(valid.filter((vote) => vote.public_key === key).map((vote) => vote.receipt_hash))
  const equivocators = voters.filter((key) => hashesOf(key).size > 1)
  const counted = voters.filter((key) => hashesOf(key).size === 1)
  const hashes = counted.flatMap((key) => [...hashesOf(key)])
  const tally = Object.fromEntries(hashes.map((hash) => [hash, hashes.filter((one) => one === hash).length]))
  const clean = equivocators.length === 0 && new Set(hashes).size === 1 && hashes.length >= committee.q
  return {
    clean,
    contested: !clean,
    hash: clean ? hashes[0] : null,
    counted,
    equivocators,
    rejected: votes.flatMap((vote, position) => (isValid(vote) ? [] : [position])),
    tally,
    votes: counted.map((key) => valid.findLast((vote) => vote.public_key === key)),
  }
}

/** Section 19: the record of a round. `own` is the validator's own run, or null if it did not run the task. */
export function recordOf(task: Json, tally: Json, own: Json): Json {
  if (own === null && !tally.clean) throw new Refusal('invalid_vote')
  const { receipt_hash, gas_used } = own ?? {
    receipt_hash: tally.hash,
    gas_used: tally.votes[0].receipt.gas_used,
  }
  const credited = tally.votes.filter((vote: Json) => vote.receipt_hash === receipt_hash)
  return {
    v: 1,
    round_id: `task:${HC(task)}`,
    project_id: task.project_id,
    epoch: task.epoch,
    set_hash: task.set_hash,
    receipt_hash,
    gas_used,
    audited: own !== null,
    voters: credited.map(({ public_key, payout_address }: Json) => ({ public_key, payout_address })),
  }
}

/** Section 19: the hashes of the records that a quorum of the current validators signed. */
export function finalHashes(profile: Profile, votes: Json[], validators: readonly string[]): string[] {
  const valid = votes.filter((vote) => isFinalityVote(profile, vote, validators))
  const hashes = [...new Set(valid.map((vote) => HC(vote.finality)))]
  return hashes.filter((hash) => {
    const own = valid.filter((vote) => HC(vote.finality) === hash).map((vote) => vote.public_key)
    return new Set(own).size >= quorum(validators.length)
  })
}

/** Section 12. */
export function beaconOf(profile: Profile, blocks: Json[], epoch: number, epochSecs: number, offset: number) {
  const below = blocks.filter((one) => one.timestamp < epoch * epochSecs - offset)
  const block = below.sort((a, b) => b.number - a.number)[0]
  return block === undefined ? null : H(text(`${profile.prefix}-beacon-v1`), raw(block.hash))
}

/** Section 20: the draw at the audit block, and whether it has the round audited; null before there is that block. */
export function auditOf(
  profile: Profile,
  blocks: Json[],
  { round_id, agreed_at, audit_bp, contested }: Json,
): Json {
  const after = blocks.filter((one) => one.timestamp > agreed_at)
  const block = after.sort((a, b) => a.number - b.number)[0]
  if (block === undefined) return null
  const hash = H(text(`${profile.prefix}-audit-v1`), raw(round_id.split(':')[1]), raw(block.hash))
  const draw = raw(hash).readUInt16BE(0) % 10_000
  return { draw, audited: contested || draw < audit_bp }
}
