import path from 'node:path'
import { expect, test } from 'vitest'
import { defaultNetworkParams as params } from '../identity/index.ts'
import { agrees } from '../vectors/compare.ts'
import { readVectorFile, type VectorSet } from '../vectors/format.ts'
import { bodyOf, judgeReceipt, leaderOf } from './plain/epoch-receipt.ts'
import { judgeEvidence, slashOf } from './plain/evidence.ts'
import { canon, HC, type Json, Refusal } from './plain/notation.ts'
import { rewardsOf, treeOf, unitsOf } from './plain/rewards.ts'
import { finalHashes, recordOf, tallyOf } from './plain/rounds.ts'
import { setHashOf } from './plain/snapshot.ts'
import { committeeOf, committeeOver } from './plain/sortition.ts'
import { isFinalityVote, isOfCommittee, isTaskVoteByItself } from './plain/votes.ts'

type Profile = VectorSet['profile']

/** The answer of the plain rules to the input of a case; undefined if they do not cover the case. */
const answers: Readonly<Record<string, (input: Json, profile: Profile) => Json>> = {
  snapshot: ({ snapshot }) =>
    snapshot === undefined ? undefined : { set_hash: setHashOf(snapshot, params) },
  sortition: (input, profile) => (input.entries === undefined ? undefined : committeeOf(profile, input)),
  'task-vote': ({ vote, snapshot, committee }, profile) => {
    if (vote === undefined) return undefined
    if (!isTaskVoteByItself(profile, vote)) throw new Refusal('invalid_vote')
    const drawn = committeeOver(profile, snapshot, vote.task, committee, params)
    if (!isOfCommittee(vote, snapshot, drawn)) throw new Refusal('invalid_vote')
    return { accepted: true }
  },
  'committee-tally': (input, profile) => plainTally(input, profile),
  finality: (input, profile) => {
    if (input.record !== undefined) return { finality_hash: HC(input.record) }
    if (input.own !== undefined)
      return { record: recordOf(input.task, plainTally(input, profile), input.own) }
    if (input.votes !== undefined)
      return { finality_hash: finalHashes(profile, input.votes, input.validators)[0] ?? null }
    if (input.validators === undefined) return undefined
    if (!isFinalityVote(profile, input.vote, input.validators)) throw new Refusal('invalid_vote')
    return { accepted: true, round_id: input.vote.round_id }
  },
  units: ({ records, gas_per_unit, max_recipients_per_epoch, max_units_per_epoch }) => ({
    units: Object.fromEntries(
      unitsOf(records, gas_per_unit, 0, 0).map(({ miner, units }: Json) => [miner, units]),
    ),
    capped: unitsOf(records, gas_per_unit, max_recipients_per_epoch, max_units_per_epoch),
  }),
  amounts: ({ economics, epoch_secs, units }) => rewardsOf(economics, epoch_secs, units),
  merkle: ({ project_id, epoch, entries }) =>
    treeOf(project_id, epoch, entries) ?? { root: null, leaves: [] },
  'receipt-v2': (input, profile) => {
    const { posted, consensus, validators } = input
    if (posted !== undefined) {
      const { counted, recomputes } = judgeReceipt(profile, posted, consensus, validators)
      return { attestations_counted: counted, recomputes }
    }
    const body = bodyOf({ ...profile, chain_id: input.chain_id }, input)
    if (body === null) return { receipt: null }
    const leaders = [0, 1, 2, 3, 4].map((attempt) =>
      leaderOf(validators, input.project_id, input.epoch, attempt),
    )
    return { canonical: canon(body), receipt_hash: HC(body), leaders }
  },
  evidence: ({ evidence, snapshot, committee, validators, bonded, bp }, profile) => {
    const entry = snapshot.entries.find((one: Json) => one.node_key === evidence?.node_key)
    const hash = judgeEvidence(profile, evidence, {
      validators,
      subscription_id: entry?.subscription_id ?? null,
      committeeOf: (task) =>
        task.set_hash === HC(snapshot) ? committeeOver(profile, snapshot, task, committee, params) : null,
    })
    return { evidence_hash: hash, amount: slashOf(bonded, bp) }
  },
}

const plainTally = ({ snapshot, committee, task, votes }: Json, profile: Profile): Json =>
  tallyOf(profile, {
    snapshot,
    committee: committeeOver(profile, snapshot, task, committee, params),
    task,
    votes,
  })

const answerOf = (topic: string, input: Json, profile: Profile): Json => {
  try {
    return answers[topic]!(input, profile)
  } catch (error) {
    if (error instanceof Refusal) return { error: error.code }
    throw error
  }
}

/** The plain rules are told nothing of malformed amounts and hashes where documents were read before. */
const isMalformed = (topic: string, output: Json): boolean =>
  ['sortition', 'merkle'].includes(topic) && output.error !== undefined

const folder = path.join(import.meta.dirname, '../vectors')
const told = [...Object.keys(answers), 'renamed']
  .flatMap((name) => readVectorFile(path.join(folder, `${name}.json`)))
  .filter(({ topic }) => Object.hasOwn(answers, topic))
  .flatMap(({ topic, profile, cases }) =>
    cases
      .filter(({ output }) => !isMalformed(topic, output))
      .map(({ name, input, output }) => ({ topic, name, output, answer: answerOf(topic, input, profile) })),
  )
  .filter(({ answer }) => answer !== undefined)

test.each(told)('the plain rules know the answer: $topic, $name', ({ output, answer }) => {
  const stated = Object.fromEntries(
    Object.entries(output).filter(([key]) => Object.hasOwn(answer, key) || key === 'error'),
  )
  expect(Object.keys(stated)).not.toEqual([])
  expect(agrees(stated, answer), JSON.stringify(answer)).toBe(true)
})
