import { expect } from 'vitest'
import { hashText } from '../../../protocol/encoding/index.ts'
import { createReceipt, hashReceipt } from '../../../protocol/execution/index.ts'
import { deriveNodeId, deriveTaskRoundId, resolveProfile } from '../../../protocol/identity/index.ts'
import {
  createFinalityRecord,
  createFinalityVote,
  createTaskVote,
  type KeptCommittee,
  type Task,
  tallyVotes,
} from '../../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../../protocol/signatures/index.ts'
import { dueEffects, type Effect } from '../due.ts'
import { beginRound, publicState, type Result, type Round, type RoundTerms } from '../round.ts'
import * as transitions from '../transitions.ts'

const profile = resolveProfile()
export const start = 3_600_000
const payout = `0x${'a0'.repeat(20)}`
const seeds = [0, 1, 2, 3, 4].map((i) => hashText(`member ${i}`))
const validatorSeeds = [0, 1, 2, 3].map((i) => hashText(`validator ${i}`))
export const validators = validatorSeeds.map((seed) => ed25519PublicKey(seed))

export const task: Task = {
  v: 1,
  project_id: hashText('project'),
  consensus_hash: hashText('consensus'),
  epoch: 1_000,
  seq: 0,
  set_hash: hashText('set'),
  module_address: hashText('module'),
  function: 'echo',
  input_hash: hashText('input'),
  gas_limit: 1_000_000,
  issued_at: start,
}
export const rules = {
  committee: { size: 3, min_size: 3, backups: 2 },
  roundSecs: 60,
  leaseSecs: 30,
  acceptSecs: 10,
  snapshotAt: start - 120,
}
export const terms = {
  roundId: deriveTaskRoundId(task),
  taskId: 'task',
  task,
  input: '',
  rules,
  underfunded: false,
  paidUntil: start + 86_400,
  startedAtMs: 0,
} as unknown as RoundTerms

export const processId = 'a process'

export const drawn: KeptCommittee = {
  set_hash: task.set_hash,
  snapshot: { project_id: task.project_id, epoch: task.epoch },
  seq: 0,
  committee: { k_eff: 3, b_eff: 2, q: 3, fallback: false },
  seats: seeds.map((seed, position) => {
    const node_key = ed25519PublicKey(seed)
    return {
      position,
      role: position < 3 ? 'primary' : 'backup',
      node_key,
      node_id: deriveNodeId(profile, node_key),
      weight: '1',
      entry: {
        node_key,
        subscription_id: hashText(seed),
        owner: payout,
        payout_address: payout,
        collateral: '1',
        reputation: 5_000,
        binding_hash: hashText(seed),
      },
    }
  }),
}

const receiptOf = (gas_used: number) =>
  createReceipt({
    module_address: task.module_address,
    function: task.function,
    input: new TextEncoder().encode('input'),
    output: new Uint8Array(),
    events: [],
    gas_used,
    success: true,
  })
const receipts = [receiptOf(1), receiptOf(2)]
export const results: Result[] = receipts.map((receipt) => ({
  receipt,
  output: '',
  events: [],
  fitsVote: true,
}))
export const ballotOf = (seed: string, position: number, choice: number) =>
  createTaskVote(profile, seed, { task, receipt: receipts[choice]!, payout_address: payout, position })
/** Signed once: what a member of these tests may vote. */
const ballots = seeds.map((seed, position) => [0, 1].map((choice) => ballotOf(seed, position, choice)))
export const voteOf = (round: Round, position: number, choice: number, now: number) =>
  transitions.voted(round, ballots[position]![choice]!, results[choice]!, now)

/** The draw of a set with too few members. */
export const few = { ...drawn, seats: [], committee: { ...drawn.committee, fallback: true } }

export const block = { number: 7, hash: hashText('block'), timestamp: start + 100 }
export const begun = () => ({
  ...transitions.seated(beginRound(terms, processId), drawn, start),
})
export const told = (round: Round, now = start) =>
  round.leases.reduce((one, { position }) => transitions.offered(one, position, 'offered', now), round)
export const twoTold = () =>
  [0, 2].reduce((round, i) => transitions.offered(round, i, 'offered', start), begun() as Round)
export const kinds = (round: Round, now = start) => dueEffects(round, now).map(({ kind }) => kind)

/** Each time at the one before it or later; those that are not there yet are passed over. */
export function expectInOrder(...times: (number | null | undefined)[]): void {
  const there = times.filter((time) => time != null)
  expect(there).toEqual(there.toSorted((a, b) => a - b))
}

/** Does what a round wants, as validators and nodes of these tests do it, and returns the round. */
export function perform(round: Round, effect: Effect, now: number): Round {
  switch (effect.kind) {
    case 'seat':
      return transitions.seated(round, drawn, now)
    case 'record':
      return { ...round, isRecorded: true }
    case 'list':
      return { ...round, listed: publicState(round) }
    case 'offer': {
      // A node that works with all its slots has one later.
      const { position } = effect.lease
      const outcome = position === 1 && now < start + 5 ? 'full' : 'offered'
      return transitions.offered(transitions.offering(round, position, now), position, outcome, now)
    }
    case 'cancel':
      return transitions.cancelled(round, effect.lease.position)
    case 'confirm':
      return transitions.confirmed(round, effect.lease.position, effect.lease.position % 2 === 0)
    case 'find_audit_block':
      return transitions.auditBlockFound(round, block, false, now)
    case 'ask': {
      const seatedCommittee = drawn as unknown as Parameters<typeof tallyVotes>[1]
      const votes = round.votes.map(({ vote }) => vote)
      const tally = tallyVotes(profile, seatedCommittee, task, votes)
      const own = tally.clean ? null : { receipt_hash: hashReceipt(receipts[0]!), gas_used: 1 }
      const record = createFinalityRecord(task, tally, own)
      const finality = validatorSeeds.slice(0, 3).map((seed) => createFinalityVote(profile, seed, record))
      const found = { [hashReceipt(receipts[0]!)]: results[0]! }
      return transitions.answered(round, { votes: finality, results: found, validators }, { now, ms: 1 })
    }
    case 'end':
    case 'delete':
      return { ...round, isReleased: true }
  }
}
