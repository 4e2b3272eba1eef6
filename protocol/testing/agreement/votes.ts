import fc from 'fast-check'
import { quorum } from '../../committees/index.ts'
import { hashText } from '../../encoding/index.ts'
import { deriveTaskRoundId, type Profile } from '../../identity/index.ts'
import { createFinalityVote, createTaskVote, type Task } from '../../rounds/index.ts'
import type { Json } from '../plain/notation.ts'
import { maybeBroken } from './broken.ts'
import { addressOf, type KeyPair, mostly, nodes, signOnce, validators } from './network.ts'
import { type Round, rounds } from './rounds.ts'

export const results = ['right', 'wrong', 'odd'] as const
export type Result = (typeof results)[number]

const receiptOf = (task: Task, result: Result) => ({
  v: 1 as const,
  module_address: task.module_address,
  function: task.function,
  input_hash: task.input_hash,
  output_hash: hashText(`output ${result}`),
  events_hash: hashText('events'),
  gas_used: 1_000_000 + results.indexOf(result),
  success: result !== 'odd',
})

/** Faults that a vote has before its node signs it. */
const signedFlaws: Readonly<Record<string, (content: Json) => Json>> = {
  none: (content) => content,
  payout: (content) => ({ ...content, payout_address: addressOf('another payout') }),
  position: (content) => ({ ...content, position: content.position + 1 }),
  round: (content) => ({ ...content, task: { ...content.task, seq: content.task.seq + 1 } }),
  set: (content) => ({ ...content, task: { ...content.task, set_hash: hashText('another set') } }),
  project: (content) => ({ ...content, task: { ...content.task, project_id: hashText('another project') } }),
  gas: (content) => ({ ...content, receipt: { ...content.receipt, gas_used: 5_000_001 } }),
  limit: (content) => ({ ...content, receipt: { ...content.receipt, gas_used: 5_000_000 } }),
  function: (content) => ({ ...content, receipt: { ...content.receipt, function: 'unfold' } }),
}

/** Faults that a vote gets after it was signed. */
const changedFlaws: Readonly<Record<string, (vote: Json, another: KeyPair) => Json>> = {
  none: (vote) => vote,
  swapped: (vote) => ({ ...vote, signature: vote.round_signature, round_signature: vote.signature }),
  signature: (vote) => ({ ...vote, round_signature: `0x${'11'.repeat(64)}` }),
  key: (vote, another) => ({ ...vote, public_key: another.key }),
  smallOrder: (vote) => ({ ...vote, public_key: `0x01${'00'.repeat(31)}` }),
  receipt: (vote) => ({ ...vote, receipt: { ...vote.receipt, output_hash: hashText('changed') } }),
  hash: (vote) => ({ ...vote, receipt_hash: hashText('changed') }),
}

/** A task vote of a node, given by its place among `nodes`: most are valid where the node has a seat. */
export const taskVotes = (round: Round, node: number, result: Result): fc.Arbitrary<Json> =>
  fc
    .record({
      signedFlaw: mostly('none', Object.keys(signedFlaws)),
      changedFlaw: mostly('none', Object.keys(changedFlaws)),
    })
    .chain(({ signedFlaw, changedFlaw }) => {
      const { seed, key } = nodes[node]!
      const seat = round.seated.seats.find((one) => one.node_key === key)
      const vote = signOnce(['task', rounds.indexOf(round), node, result, signedFlaw], () =>
        createTaskVote(
          round.profile,
          seed,
          signedFlaws[signedFlaw]!({
            task: round.task,
            receipt: receiptOf(round.task, result),
            payout_address: seat?.entry.payout_address ?? addressOf('payout 0'),
            position: seat?.position ?? 0,
          }),
        ),
      )
      const changed = changedFlaws[changedFlaw]!(vote, nodes[(node + 1) % nodes.length]!)
      return mostly(true, [false]).chain((isWhole) => (isWhole ? fc.constant(changed) : maybeBroken(changed)))
    })

/** The nodes that have a seat in a round, in draw order. */
const seatedIn = (round: Round): number[] =>
  round.seated.seats.map((seat) => nodes.findIndex(({ key }) => key === seat.node_key))

/** A node of the round, or now and then one without a seat. */
export const members = (round: Round): fc.Arbitrary<number> => {
  const seats = seatedIn(round)
  const anybody = nodes.map((_, i) => i)
  return seats.length === 0
    ? fc.constantFrom(...anybody)
    : fc.constantFrom(...seats).chain((one) => mostly(one, anybody))
}

/** The votes sent for a round: one of each of some members, mostly with the same result, and up to two more with any result. */
export const ballots = (round: Round): fc.Arbitrary<Json[]> =>
  fc
    .constantFrom<readonly Result[]>(['right'], ['right'], ['right', 'right', 'wrong', 'odd'])
    .chain((among) => {
      const voteOf = (node: number, some: readonly Result[]) =>
        fc.constantFrom(...some).chain((result) => taskVotes(round, node, result))
      const further = fc.array(
        members(round).chain((node) => voteOf(node, results)),
        { maxLength: 2 },
      )
      return fc
        .tuple(fc.shuffledSubarray(seatedIn(round)), further)
        .chain(([some, others]) =>
          fc.tuple(...some.map((node) => voteOf(node, among))).map((votes) => [...votes, ...others]),
        )
    })

/** Faults that make a record differ from its round. */
const recordFlaws: Readonly<Record<string, (record: Json) => Json>> = {
  none: (record) => record,
  set: (record) => ({ ...record, set_hash: hashText('another set') }),
  round: (record) => ({ ...record, round_id: `task:${hashText('another round')}` }),
  project: (record) => ({ ...record, project_id: hashText('another project') }),
  epoch: (record) => ({ ...record, epoch: record.epoch + 1 }),
  voters: (record) => ({ ...record, voters: [...record.voters].reverse() }),
}

/** A record of a round. Its voters are all members, none, or all but one. */
export const records = (round: Round, without: number): fc.Arbitrary<Json> =>
  fc
    .record({
      result: fc.constantFrom(...results),
      audited: fc.boolean(),
      voters: fc.constantFrom('all', 'none', 'others'),
      flaw: mostly('none', Object.keys(recordFlaws)),
    })
    .map(({ result, audited, voters, flaw }) => {
      const all = round.seated.seats
        .map(({ node_key, entry }) => ({ public_key: node_key, payout_address: entry.payout_address }))
        .sort((a, b) => (a.public_key < b.public_key ? -1 : 1))
      const others = all.filter((one) => one.public_key !== nodes[without]!.key)
      const receipt = signOnce(['receipt', rounds.indexOf(round), result], () =>
        createTaskVote(round.profile, nodes[0]!.seed, {
          task: round.task,
          receipt: receiptOf(round.task, result),
          payout_address: addressOf('payout 0'),
          position: 0,
        }),
      )
      return recordFlaws[flaw]!({
        v: 1,
        round_id: deriveTaskRoundId(round.task),
        project_id: round.task.project_id,
        epoch: round.task.epoch,
        set_hash: round.task.set_hash,
        receipt_hash: receipt.receipt_hash,
        gas_used: receipt.receipt.gas_used,
        audited,
        voters: { all, none: [], others }[voters],
      })
    })

/** The vote of a validator for a record. */
export const finalityVote = (profile: Profile, validator: number, record: Json): Json =>
  signOnce(['finality', profile.prefix, validator, record], () =>
    createFinalityVote(profile, validators[validator]!.seed, record),
  )

/**
 * The votes of a quorum of the current validators for a record, or of one less, by the order of their keys. In some lists
 * something is wrong.
 * @param among - How many of the validators are current.
 */
export const finalityLists = (
  round: Round,
  record: Json,
  another: Json,
  among: number,
): fc.Arbitrary<Json[]> => {
  const voteOf = (validator: number, about = record) => finalityVote(round.profile, validator, about)
  const lists = fc
    .subarray([...validators.keys()].slice(0, among), { minLength: quorum(among) })
    .map((signers) => signers.map((one) => voteOf(one)))
  return fc.oneof(
    { weight: 10, arbitrary: lists },
    { weight: 2, arbitrary: lists.map((list) => list.slice(0, quorum(among) - 1)) },
    { weight: 1, arbitrary: lists.map((list) => [...list].reverse()) },
    { weight: 1, arbitrary: lists.map((list) => [...list, ...list.slice(-1)]) },
    { weight: 1, arbitrary: lists.map((list) => [...list, voteOf(among)]) },
    { weight: 1, arbitrary: lists.map((list) => [...list.slice(0, -1), voteOf(among - 1, another)]) },
    { weight: 1, arbitrary: lists.chain(maybeBroken) },
  )
}
