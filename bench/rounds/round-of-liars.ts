import { hashSnapshot, type Snapshot } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { type ExecutionReceipt, hashReceipt } from '../../protocol/execution/index.ts'
import { defaultNetworkParams as params, resolveProfile } from '../../protocol/identity/index.ts'
import {
  askedSeats,
  auditDraw,
  createFinalityRecord,
  createFinalityVote,
  createTaskVote,
  finalRecord,
  isAudited,
  type Seat,
  type SeatedCommittee,
  seatCommittee,
  type Task,
  type TaskVote,
  tallyVotes,
} from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import type { Draws } from '../draws.ts'

/** How a round ended. `unfinished` is one that no quorum of validators decided. */
export type Outcome = 'agreed' | 'audited' | 'wrong' | 'unfinished'

export interface RoundOfLiars {
  /** Primaries of the committee. */
  size: number
  /** Members that lie, among all that are drawn. */
  liars: number
  /** Makes the round another one than every other. */
  index: number
  /** Whether no honest member votes. */
  silentHonest?: boolean
}

const profile = resolveProfile()
const backups = 3
const keysOf = (name: string, count: number): Map<string, string> =>
  new Map(
    Array.from({ length: count }, (_, i) => hashText(`${name} ${i}`)).map((seed) => [
      ed25519PublicKey(seed),
      seed,
    ]),
  )
const nodes = keysOf('node', 40)
const validators = [...keysOf('validator', 4)]
const validatorKeys = validators.map(([key]) => key)
const addressOf = (key: string): string => hashText(`payout of ${key}`).slice(0, 42)

const snapshot: Snapshot = {
  v: 1,
  network: profile.network,
  project_id: hashText('project'),
  epoch: 500_000,
  epoch_secs: 3_600,
  consensus_hash: hashText('consensus'),
  params_hash: hashText('params'),
  beacon: { block_number: 7, block_hash: hashText('block'), value: hashText('beacon') },
  min_collateral: String(10n ** 18n),
  weight_cap: String(6n * 10n ** 18n),
  entries: [...nodes.keys()].sort().map((key, i) => ({
    node_key: key,
    subscription_id: hashText(`subscription ${i}`),
    owner: addressOf(`owner ${i}`),
    payout_address: addressOf(key),
    collateral: String(10n ** 18n * BigInt(1 + (i % 8))),
    reputation: 1_000 + 220 * i,
    binding_hash: hashText(`binding ${i}`),
  })),
  excluded: [],
}
const setHash = hashSnapshot(snapshot)

/**
 * Plays one round with real votes to its end, and says what became final. An honest member runs the task and votes for what
 * came out, unless it is silent; a liar does what its round draws for it.
 *
 * @throws When somebody honest would be blamed, or a liar credited.
 */
export function playRound(draws: Draws, { size, liars, index, silentHonest = false }: RoundOfLiars): Outcome {
  const seated = seatCommittee(profile, snapshot, index, {
    committee: { size, min_size: Math.min(3, size), backups },
    params,
  })
  const task = taskOf(index)
  const lying = new Set(
    shuffled(draws, [...seated.seats])
      .slice(0, liars)
      .map(({ node_key: key }) => key),
  )
  const silent = new Set(
    seated.seats
      .filter(({ node_key: key }) => !lying.has(key) && (silentHonest || draws.percent(5)))
      .map(({ node_key: key }) => key),
  )
  const asked = askedSeats(seated, silent)
  // Liars below the quorum choose how they lie; at the quorum they agree on one result.
  const common = silentHonest ? 'together' : draws.pick(['together', 'alone', 'mixed'] as const)
  const votes = asked.flatMap((seat): TaskVote[] => {
    if (silent.has(seat.node_key)) return []
    if (!lying.has(seat.node_key)) return [voteOf(task, seat, honest(task))]
    return liesOf(draws, common === 'mixed' ? draws.pick(waysToLie) : common, task, seat)
  })
  return decide(draws, seated, task, shuffled(draws, votes), lying)
}

const waysToLie = ['together', 'alone', 'twice', 'silent', 'invalid', 'honestly'] as const

function liesOf(draws: Draws, way: (typeof waysToLie)[number], task: Task, seat: Seat): TaskVote[] {
  const other = wrong(task, 'one of many')
  switch (way) {
    case 'together':
      return [voteOf(task, seat, other)]
    case 'alone':
      return [voteOf(task, seat, wrong(task, seat.node_key))]
    case 'twice':
      return [voteOf(task, seat, honest(task)), voteOf(task, seat, other)]
    case 'silent':
      return []
    case 'honestly':
      return [voteOf(task, seat, honest(task))]
    case 'invalid':
      return [invalidVoteOf(draws, task, seat, other)]
  }
}

/** A vote that its member signed, with something in it that is not the member's or not of the round. */
function invalidVoteOf(draws: Draws, task: Task, seat: Seat, receipt: ExecutionReceipt): TaskVote {
  const vote = voteOf(task, seat, receipt)
  return draws.pick<TaskVote>([
    { ...vote, committee: { position: seat.position + 1 } },
    { ...vote, receipt: honest(task) },
    voteOf({ ...task, issued_at: task.issued_at + 1 }, seat, receipt),
    voteOf(task, { ...seat, entry: { ...seat.entry, payout_address: addressOf('another') } }, receipt),
  ])
}

/** What four validators, one of which lies, make of the votes. */
function decide(
  draws: Draws,
  seated: SeatedCommittee,
  task: Task,
  votes: readonly TaskVote[],
  lying: ReadonlySet<string>,
): Outcome {
  const tally = tallyVotes(profile, seated, task, votes)
  const roundId = votes.find(({ task: own }) => own === task)?.round_id
  const draw =
    roundId === undefined ? 0 : auditDraw(profile, roundId, hashText(`block ${draws.below(2 ** 32)}`))
  const ownRun = isAudited(draw, params.audit_bp, tally.contested)
  const record = createFinalityRecord(task, tally, ownRun ? runOf(honest(task)) : null)
  const lie = createFinalityRecord(task, tally, runOf(wrong(task, 'one of many')))
  const liar = draws.pick(validators)
  const signed = validators.map((validator) =>
    createFinalityVote(profile, validator[1], validator === liar ? lie : record),
  )
  const final = finalRecord(profile, signed, validatorKeys)
  if (final === null) return 'unfinished'
  if (final.receipt_hash !== hashReceipt(honest(task))) return 'wrong'

  const right = new Set(
    votes.filter((vote) => vote.receipt_hash === final.receipt_hash).map((vote) => vote.public_key),
  )
  for (const { public_key: key } of final.voters) {
    if (!right.has(key)) throw new Error(`${key} is credited for a result it did not vote for`)
  }
  for (const key of tally.equivocators) if (!lying.has(key)) throw new Error(`${key} is honest and is blamed`)
  for (const vote of tally.votes) {
    if (vote.receipt_hash !== final.receipt_hash && !lying.has(vote.public_key))
      throw new Error(`${vote.public_key} is honest and is blamed`)
  }
  return final.audited ? 'audited' : 'agreed'
}

const taskOf = (index: number): Task => ({
  v: 1,
  project_id: snapshot.project_id,
  consensus_hash: snapshot.consensus_hash,
  epoch: snapshot.epoch,
  seq: index,
  set_hash: setHash,
  module_address: hashText('worker'),
  function: 'fold',
  input_hash: hashText(`input ${index}`),
  gas_limit: 5_000_000,
  issued_at: 500_000 * 3_600 + 7,
})

const receiptOf = (task: Task, output: string): ExecutionReceipt => ({
  v: 1,
  module_address: task.module_address,
  function: task.function,
  input_hash: task.input_hash,
  output_hash: hashText(output),
  events_hash: hashText('no events'),
  gas_used: 581,
  success: true,
})
const honest = (task: Task) => receiptOf(task, 'the result')
const wrong = (task: Task, whose: string) => receiptOf(task, `a wrong result of ${whose}`)
const runOf = (receipt: ExecutionReceipt) => ({
  receipt_hash: hashReceipt(receipt),
  gas_used: receipt.gas_used,
})

const voteOf = (task: Task, seat: Seat, receipt: ExecutionReceipt): TaskVote =>
  createTaskVote(profile, nodes.get(seat.node_key)!, {
    task,
    receipt,
    payout_address: seat.entry.payout_address,
    position: seat.position,
  })

function shuffled<Value>(draws: Draws, values: Value[]): Value[] {
  for (let i = values.length - 1; i > 0; i--) {
    const j = draws.below(i + 1)
    ;[values[i], values[j]] = [values[j]!, values[i]!]
  }
  return values
}
