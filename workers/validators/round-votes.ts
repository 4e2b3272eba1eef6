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
import { type CallableValidator, callable, keysOf, type ValidatorStore } from '../stores/validators.ts'
import type { ValidatorCalls } from './ask-each.ts'
import { type CallRules, callValidator } from './ask-validator.ts'

export interface ValidatorSources {
  profile: Profile
  validators: ValidatorStore
  roundFiles: RoundFiles
  rules: CallRules | null
  calls: ValidatorCalls
  now: () => Promise<number>
}

/** For how long validators are asked in one attempt; those that are left are asked in the next. */
const askMsMax = 40_000

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
  const over = new AbortController()
  const parse = (vote: object) => parseFinalityVote(sources.profile, vote, keys, verifyNatively)
  const ask = async ({ url, publicKey }: CallableValidator, answerMs: number) => {
    const call = { path: '/consensus/task-rounds', body, now, answerMsMax: answerMs, over: over.signal }
    const answer = await callValidator(url, call, rules)
    const value = answer?.status === 200 ? answer.value : null
    const vote = readVote(value, publicKey, parse)
    if (vote === null || !isOfRound(vote, round.terms)) return answer !== null
    // A result that cannot be kept now comes with another answer.
    const result = await readResult(sources.roundFiles, round, vote, value).catch(() => null)
    if (result !== null) results[vote.receipt_hash] ??= result
    votes.push(vote)
    const record = signedRecord([...round.finalityVotes, ...votes], keys)
    if (record !== null && (round.results[record.receipt_hash] ?? results[record.receipt_hash])) over.abort()
    return true
  }
  const timer = setTimeout(() => over.abort(), askMsMax)
  try {
    await sources.calls.ask(unheard(round, callable(generation)), ask, over.signal)
  } finally {
    clearTimeout(timer)
    over.abort()
  }
  return gathered()
}

/** Those that gave no vote yet. A validator gives one vote for ever; where all gave theirs, what lacks is a result. */
function unheard(
  { finalityVotes }: Round,
  validators: readonly CallableValidator[],
): readonly CallableValidator[] {
  const heard = new Set(finalityVotes.map(({ public_key }) => public_key))
  const others = validators.filter(({ publicKey }) => !heard.has(publicKey))
  return others.length > 0 ? others : validators
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

/** A node takes votes of 256 KiB in one call. */
const bundleBytesMax = 200 * 1024

/** Sends every validator the others' finality votes, in one call or a few. One that misses them asks its peers. */
export async function spreadVotes(sources: ValidatorSources, round: Round): Promise<void> {
  const { rules } = sources
  if (rules === null) return
  const now = await sources.now()
  const written = round.finalityVotes.map((vote) => ({
    publicKey: vote.public_key,
    text: JSON.stringify(vote),
  }))
  await sources.calls.tell(
    callable(await generationOf(sources, round)),
    async ({ url, publicKey }, answerMsMax) => {
      const others = written.filter((vote) => vote.publicKey !== publicKey)
      for (const votes of bundlesOf(others.map(({ text }) => text))) {
        const body = utf8.encode(`{"votes":[${votes}]}`)
        const call = { path: '/consensus/votes', body, now, answerMsMax }
        if ((await callValidator(url, call, rules)) === null) return false
      }
      return true
    },
  )
}

/** Votes as members of lists, each as long as a call may be. */
function bundlesOf(votes: readonly string[]): string[] {
  const bundles: string[] = []
  for (const vote of votes) {
    const last = bundles.at(-1)
    if (last === undefined || last.length + vote.length > bundleBytesMax) bundles.push(vote)
    else bundles[bundles.length - 1] = `${last},${vote}`
  }
  return bundles
}
