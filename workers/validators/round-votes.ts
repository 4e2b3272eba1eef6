import {
  agreedAtOf,
  fallbackOf,
  type Result,
  type Round,
  votesOf,
} from '../../durable-objects/round/round.ts'
import type { Answers } from '../../durable-objects/round/transitions.ts'
import { isObject } from '../../protocol/encoding/index.ts'
import { hashReceipt } from '../../protocol/execution/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import {
  type FinalityVote,
  isExecutionReceipt,
  parseFinalityVote,
  signedRecord,
  validOrNull,
} from '../../protocol/rounds/index.ts'
import { verifyNatively } from '../native-ed25519.ts'
import { keepRun, readRun } from '../rounds/run-result.ts'
import type { RoundFiles } from '../stores/round-files.ts'
import { callable, keysOf, type ValidatorStore } from '../stores/validators.ts'
import { askValidator, type CallRules } from './ask-validator.ts'

export interface ValidatorSources {
  profile: Profile
  validators: ValidatorStore
  roundFiles: RoundFiles
  rules: CallRules | null
  now: () => Promise<number>
}

/** How long all validators together have for the votes of the others. */
const spreadMsMax = 10_000

const utf8 = new TextEncoder()

/**
 * Asks every validator of its epoch for its vote on the finality of a closed round. It returns when a quorum has signed one record whose
 * result is there: one validator that does not answer keeps nobody waiting.
 */
export async function askForFinality(
  sources: ValidatorSources,
  round: Round,
  input: string,
): Promise<Answers> {
  const { rules } = sources
  const generation = await generationOf(sources, round)
  // A key that was ended is not asked; what it had signed before counts.
  const keys = keysOf(generation)
  const votes: FinalityVote[] = []
  const results: Record<string, Result> = {}
  const gathered = () => ({ votes: [...votes], results: { ...results }, validators: keys })
  if (rules === null) return gathered()
  const body = utf8.encode(JSON.stringify(finalityRequest(round, input)))
  const now = await sources.now()
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const parse = (vote: object) => parseFinalityVote(sources.profile, vote, keys, verifyNatively)
  const asked = callable(generation).map(async ({ url, publicKey }) => {
    const answer = await askValidator(url, { path: '/consensus/task-rounds', body, now }, rules)
    const vote = readVote(answer, publicKey, parse)
    if (vote === null || !isOfRound(vote, round.terms)) return
    const result = await readResult(sources.roundFiles, round, vote, answer)
    if (result !== null) results[vote.receipt_hash] ??= result
    votes.push(vote)
    const record = signedRecord([...round.finalityVotes, ...votes], keys)
    if (record !== null && (round.results[record.receipt_hash] ?? results[record.receipt_hash])) resolve()
  })
  await Promise.race([enough, Promise.all(asked)])
  return gathered()
}

const generationOf = ({ validators }: ValidatorSources, { terms: { task } }: Round) =>
  validators.ofSet(task.project_id, task.epoch)

const finalityRequest = (round: Round, input: string) => ({
  task: round.terms.task,
  input_b64: input,
  votes: votesOf(round),
  agreed_at: agreedAtOf(round),
  audit_block: round.auditBlock,
  fallback: fallbackOf(round),
})

/** The vote of an answer, if it is of this key and valid; null for anything else. */
export function readVote<V>(answer: unknown, publicKey: string, parse: (vote: object) => V): V | null {
  if (!isObject(answer) || !isObject(answer.vote) || answer.vote.public_key !== publicKey) return null
  const { vote } = answer
  return validOrNull(() => parse(vote))
}

const isOfRound = ({ finality }: FinalityVote, { roundId, task }: Round['terms']): boolean =>
  finality.round_id === roundId &&
  finality.project_id === task.project_id &&
  finality.epoch === task.epoch &&
  finality.set_hash === task.set_hash

/** What its own run gave, where nobody has shown that yet; null where it does not fit the receipt that it voted for. */
async function readResult(
  files: RoundFiles,
  round: Round,
  { receipt_hash: receiptHash }: FinalityVote,
  answer: unknown,
): Promise<Result | null> {
  if (round.results[receiptHash] !== undefined || !isObject(answer) || !isObject(answer.run)) return null
  const { receipt, output_b64, events } = answer.run
  if (!isExecutionReceipt(receipt) || hashReceipt(receipt) !== receiptHash) return null
  const run = readRun(receipt, { output_b64, events })
  return run.ok ? keepRun(files, receipt, run) : null
}

/** Sends every validator the others' finality votes, all at once under one deadline. One that misses votes asks its peers. */
export async function spreadVotes(sources: ValidatorSources, round: Round): Promise<void> {
  const { rules } = sources
  if (rules === null) return
  const validators = callable(await generationOf(sources, round))
  const now = await sources.now()
  // A node takes one vote in a call. Each validator is sent its first vote before anyone is sent its second.
  const calls = round.finalityVotes.flatMap((vote) => {
    const call = {
      path: '/consensus/votes',
      body: utf8.encode(JSON.stringify(vote)),
      now,
      answerMsMax: spreadMsMax,
    }
    const others = validators.filter(({ publicKey }) => publicKey !== vote.public_key)
    return others.map(({ url }) => askValidator(url, call, rules))
  })
  await Promise.all(calls)
}
