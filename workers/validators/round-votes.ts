import {
  agreedAtOf,
  fallbackOf,
  type Result,
  type Round,
  votesOf,
} from '../../durable-objects/round/round.ts'
import type { Answers } from '../../durable-objects/round/transitions.ts'
import type { AnswerListener } from '../../durable-objects/round/types.ts'
import { Waiters } from '../../durable-objects/waiters.ts'
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
import { claimedErrorOf, keepRun, readRun } from '../rounds/run-result.ts'
import type { RoundFiles } from '../stores/round-files.ts'
import {
  type CallableValidator,
  type Generation,
  isCallable,
  keysOf,
  type Validator,
  type ValidatorStore,
} from '../stores/validators.ts'
import { answerMsMax, type ValidatorCalls, waitingMax } from './ask-each.ts'
import { type CallRules, callValidator } from './ask-validator.ts'
import { overLinks, type ValidatorLink } from './over-links.ts'
import { generationKeptMs, recentGeneration } from './recent-generation.ts'

export interface ValidatorSources {
  profile: Profile
  validators: ValidatorStore
  roundFiles: RoundFiles
  rules: CallRules | null
  calls: ValidatorCalls
  links: (publicKey: string) => ValidatorLink
  now: () => Promise<number>
}

/** For how long validators are asked in one attempt; those that are left are asked in the next. */
const askMsMax = 40_000
/** A validator that is silent on its link for this long is asked again, there and by HTTP. */
const linkMs = 2_000
/**
 * A validator that answered this hub over its link within this time is there, and its answer is only late: with much to do,
 * calls by HTTP would make the hub later still. It is asked over its link again, and has this long before it is called.
 */
const aliveMs = 5_000
/** Calls by HTTP at once, of those without a link and of those that are silent on theirs. */
const callsAtOnce = { others: 3, silent: 2 }

const utf8 = new TextEncoder()

/**
 * Asks every validator of its epoch for its vote on the finality of a closed round: over its link, or by HTTP. It returns when a quorum has
 * signed one record whose result is there: one validator that does not answer keeps nobody waiting.
 */
export async function askForFinality(
  sources: ValidatorSources,
  round: Round,
  input: string,
  listen: (listener: AnswerListener) => void,
): Promise<Answers> {
  const { rules, calls, links } = sources
  const generation = await generationOf(sources, round)
  // A key that was ended is not asked; what it had signed before counts.
  const keys = keysOf(generation)
  const votes = new Map<string, FinalityVote>()
  const results: Record<string, Result> = {}
  const gathered = () => ({ votes: [...votes.values()], results: { ...results }, validators: keys })
  if (rules === null) return gathered()
  const request = JSON.stringify(finalityRequest(round, input))
  const now = await sources.now()
  const over = new AbortController()
  const parse = (vote: object) => parseFinalityVote(sources.profile, vote, keys, verifyNatively)
  const take = async (publicKey: string, value: unknown): Promise<boolean> => {
    const vote = readVote(value, publicKey, parse)
    if (vote === null || !isOfRound(vote, round)) return false
    // A result that cannot be kept now comes with another answer.
    const result = await readResult(sources.roundFiles, round, vote, value).catch(() => null)
    if (result !== null) results[vote.receipt_hash] ??= result
    votes.set(publicKey, vote)
    const record = signedRecord([...round.finalityVotes, ...votes.values()], keys)
    if (record !== null && (round.results[record.receipt_hash] ?? results[record.receipt_hash])) over.abort()
    return true
  }
  const heard = new Set<string>()
  const waiting = new Waiters()
  const hear = (publicKey: string) => {
    heard.add(publicKey)
    waiting.look()
  }
  const body = utf8.encode(request)
  const call = async ({ url, publicKey }: CallableValidator, answerMs: number) => {
    const sent = { path: '/consensus/task-rounds', body, now, answerMsMax: answerMs, over: over.signal }
    const answer = await callValidator(url, sent, rules)
    if (answer?.status === 200) await take(publicKey, answer.value)
    if (answer !== null) hear(publicKey)
    return answer !== null
  }
  const decide = ({ publicKey }: Validator) =>
    links(publicKey).decide(`{"round_id":"${round.terms.roundId}",${request.slice(1)}`)
  const silentOf = async (asked: readonly Validator[], ms: number) => {
    const isSilent = ({ publicKey }: Validator) => !heard.has(publicKey)
    await waiting.until(() => over.signal.aborted || !asked.some(isSilent), ms)
    return over.signal.aborted ? [] : asked.filter(isSilent)
  }
  const byHttp = (some: readonly Validator[]) =>
    calls.ask(some.filter(isCallable), call, over.signal, callsAtOnce.silent)
  const tooLarge = new Set<string>()
  const isLate = (validator: Validator) =>
    !tooLarge.has(validator.publicKey) && calls.isHeardOnLink(validator, aliveMs)
  const askSilent = async (asked: readonly Validator[]) => {
    const silent = await silentOf(asked, linkMs)
    const late = new Set(silent.filter(isLate))
    const isAwaited = (validator: Validator) => late.has(validator)
    const again = overLinks(silent, decide)
    const askLate = async () => {
      const { taken, others } = await again
      const waited = silentOf(taken.filter(isAwaited), aliveMs).then(byHttp)
      await Promise.all([byHttp(others.filter(isAwaited)), waited])
    }
    await Promise.all([
      again.then(({ taken }) => silentOf(taken, answerMsMax - linkMs)),
      byHttp(silent.filter((one) => !isAwaited(one))),
      askLate(),
    ])
  }
  listen(async (publicKey, answer) => {
    calls.heardOnLink(publicKey)
    // An answer that does not fit into a frame comes by HTTP.
    if (answer.code === 'too_large') tooLarge.add(publicKey)
    else hear(publicKey)
    if (answer.code !== undefined || (await take(publicKey, answer))) return null
    return `The vote of ${answer.round_id} is not a valid finality vote of this validator.`
  })
  const askAll = async () => {
    const { taken, others } = await overLinks(unheard(round, keptOf(generation)), decide)
    const atOnce = taken.length > 0 ? callsAtOnce.others : waitingMax
    await Promise.all([calls.ask(others.filter(isCallable), call, over.signal, atOnce), askSilent(taken)])
  }
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  over.signal.addEventListener('abort', () => {
    end()
    waiting.look()
  })
  const timer = setTimeout(() => over.abort(), askMsMax)
  try {
    await Promise.race([askAll(), isOver])
  } finally {
    clearTimeout(timer)
    over.abort()
  }
  return gathered()
}

/** The validators that gave no vote yet; all if each gave its vote, which never changes: then a result is missing. */
function unheard({ finalityVotes }: Round, validators: readonly Validator[]): readonly Validator[] {
  const heard = new Set(finalityVotes.map(({ public_key }) => public_key))
  const others = validators.filter(({ publicKey }) => !heard.has(publicKey))
  return others.length > 0 ? others : validators
}

/** The validators of a generation whose keys were not ended. */
export const keptOf = (generation: Generation | null): readonly Validator[] =>
  generation?.validators.filter(({ revokedAt }) => revokedAt === null) ?? []

const generationOf = (
  { validators }: Pick<ValidatorSources, 'validators'>,
  { terms: { task }, asking: { attempts } }: Round,
) => recentGeneration(validators, task, attempts === 0 ? generationKeptMs.first : generationKeptMs.again)

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

/** A record has no more voters than there are seats: it is stored with the vote, however large it is. */
const isOfRound = ({ finality }: FinalityVote, { terms: { roundId, task }, drawn }: Round): boolean =>
  finality.round_id === roundId &&
  finality.project_id === task.project_id &&
  finality.epoch === task.epoch &&
  finality.set_hash === task.set_hash &&
  finality.voters.length <= drawn!.seats.length

/** The result of a validator's own run; null if that is known already, or does not match the receipt that it voted for. */
async function readResult(
  files: RoundFiles,
  round: Round,
  { receipt_hash: receiptHash }: FinalityVote,
  answer: unknown,
): Promise<Result | null> {
  if (round.results[receiptHash] !== undefined || !isObject(answer) || !isObject(answer.run)) return null
  const { receipt, output_b64, events, error } = answer.run
  if (!isExecutionReceipt(receipt) || hashReceipt(receipt) !== receiptHash) return null
  const run = readRun(receipt, { output_b64, events })
  if (!run.ok) return null
  const claimed = claimedErrorOf(receipt, error)
  return { ...(await keepRun(files, receipt, run)), ...(claimed !== null && { error: claimed }) }
}
