import { modulesMax, type StateBook } from '../../durable-objects/direct-order/state-book.ts'
import type { DirectOutcome, DirectRequest, DirectResult } from '../../durable-objects/round/direct.ts'
import { quorum } from '../../protocol/committees/index.ts'
import { isObject } from '../../protocol/encoding/index.ts'
import { hashReceipt } from '../../protocol/execution/index.ts'
import { type ExecutionVote, executionSubject, parseExecutionVote } from '../../protocol/rounds/index.ts'
import { bytesToBase64 } from '../http/base64.ts'
import { verifyNatively } from '../native-ed25519.ts'
import type { Services } from '../services.ts'
import { keptDirectRound } from '../stores/direct-rounds.ts'
import type { RoundFiles } from '../stores/round-files.ts'
import type { RoundRow } from '../stores/schema/index.ts'
import { type CallableValidator, callable, keysOf } from '../stores/validators.ts'
import { inTurns, waitingMax } from '../validators/ask-each.ts'
import { readVote, type ValidatorSources } from '../validators/round-votes.ts'
import { askForVote, tellDecided } from './direct-voters.ts'
import { nobodys } from './round-end.ts'
import { claimedErrorOf, inlineBytesMax, readRun } from './run-result.ts'

const utf8 = new TextEncoder()
/** Nobody is asked for a shorter time. */
const turnMsMin = 200

export interface DirectTerms {
  answerMsMax: number
  /** The agreed storage of modules; null if the run uses no storage. */
  book: StateBook | null
}

/**
 * Has every validator in force run a module, and takes the result of a quorum of equal votes. If the request breaks off before that is
 * stored, nothing was written, and the caller asks again in a new round.
 */
export async function runDirectRound(
  sources: ValidatorSources & Pick<Services, 'rounds' | 'writeRounds'>,
  request: DirectRequest,
  terms: DirectTerms,
): Promise<DirectOutcome> {
  const startedAtMs = Date.now()
  const { validators, rounds, writeRounds, roundFiles } = sources
  const before = request.isNamed ? await rounds.find(request.roundId) : null
  const known = before && (await outcomeOf(roundFiles, before))
  if (known !== null) return known
  const generation = await validators.at(request.round.issued_at)
  const count = keysOf(generation).length
  const needed = quorum(count)
  const gathered = await gather(sources, request, terms, callable(generation), needed)
  const found = [...gathered.bySubject.values()].find(({ votes }) => votes.length >= needed)
  const agreed = found !== undefined && isDecided(found.votes, terms) ? found : undefined
  if (agreed !== undefined) await tellDecided(sources, callable(generation), agreed.votes)
  const { roundId } = request
  const outcome = { roundId, result: agreed?.result ?? null, votes: gathered.votes.length, quorum: needed }
  // A round that is over keeps the votes that decided it.
  if (before?.state === 'finalized') return outcome
  const file = { round_id: roundId, round: request.round, exec_votes: gathered.votes }
  const fileBytes = await roundFiles.putDirectRound(file)
  // The clock that dated the round may be ahead of this one.
  const at = { now: Math.max(await sources.now(), request.round.issued_at), ms: Date.now() - startedAtMs }
  const row = published(request, outcome, agreed?.votes.length ?? 0, count, at)
  const bytes = fileBytes + JSON.stringify(row).length
  const kept = keptDirectRound(roundId, at.now, bytes)
  await writeRounds([{ round: row, leases: [], end: nobodys(row, at.now) }], [kept])
  return outcome
}

/**
 * The outcome of a round that is requested again under its name. Validators keep their votes for a while only, so the receipt comes from
 * the votes in the round's file. Null if the round is not over, or its result is too large to be kept.
 */
async function outcomeOf(files: RoundFiles, row: RoundRow): Promise<DirectOutcome | null> {
  const { roundId, state, receiptHash, output, events, votes, committeeSize, error } = row
  if (state !== 'finalized' || output === null || events === null) return null
  const kept = (await files.directRound(roundId))?.exec_votes ?? []
  const decisive = kept.find(({ receipt_hash }) => receipt_hash === receiptHash)
  if (decisive === undefined) return null
  const result = { receipt: decisive.receipt, output, events, error }
  return { roundId, result, votes, quorum: quorum(committeeSize) }
}

/** If the run may use storage, the decision of the quorum is stored before anybody is told, including the caller. */
function isDecided(votes: readonly ExecutionVote[], { book }: DirectTerms): boolean {
  if (book === null) return true
  const isStored = book.decide(votes)
  if (!isStored) console.error(`${votes[0]?.round_id} does not follow from what was decided before it`)
  return isStored
}

interface Gathered {
  votes: ExecutionVote[]
  /** By receipt and what became of storage. */
  bySubject: Map<string, { votes: ExecutionVote[]; result: DirectResult | null }>
}

/**
 * Returns with the vote that makes a quorum, or when all have answered or the time is up. The platform opens few connections at once. Those
 * that are silent in their turn have another one after the others: their run goes on meanwhile.
 */
async function gather(
  sources: ValidatorSources,
  request: DirectRequest,
  { answerMsMax, book }: DirectTerms,
  validators: readonly CallableValidator[],
  needed: number,
): Promise<Gathered> {
  const gathered: Gathered = { votes: [], bySubject: new Map() }
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const over = new AbortController()
  const ask = async ({ url, publicKey }: CallableValidator, turnMs: number) => {
    const answer = await askForVote(sources, url, request, { book, answerMsMax: turnMs, over: over.signal })
    const vote = readVote(answer, publicKey, (value) =>
      parseExecutionVote(sources.profile, value, verifyNatively),
    )
    // Each vote is stored, however large its validator makes it.
    if (vote?.round_id !== request.roundId || (vote.state?.length ?? 0) > modulesMax) return answer !== null
    gathered.votes.push(vote)
    const subject = executionSubject(vote)
    const group = gathered.bySubject.get(subject) ?? { votes: [], result: null }
    gathered.bySubject.set(subject, group)
    group.votes.push(vote)
    group.result ??= readResult(vote, answer)
    if (group.votes.length >= needed && group.result !== null) resolve()
    return true
  }
  const endsAt = performance.now() + answerMsMax
  const askAll = async () => {
    for (let left = validators; left.length > 0; ) {
      const turnMs = (endsAt - performance.now()) / (2 * Math.ceil(left.length / waitingMax) - 1)
      if (turnMs < turnMsMin) return
      left = await inTurns(left, ask, () => turnMs, waitingMax, over.signal)
    }
  }
  await Promise.race([enough, askAll()])
  over.abort()
  return { votes: [...gathered.votes], bySubject: new Map(gathered.bySubject) }
}

/** Output comes as a text, or in base64 if it is not text. */
function readResult({ receipt }: ExecutionVote, answer: unknown): DirectResult | null {
  if (!isObject(answer)) return null
  const text = typeof answer.output === 'string' ? answer.output : ''
  const output_b64 = answer.output_b64 ?? bytesToBase64(utf8.encode(text))
  const run = readRun(receipt, { output_b64, events: answer.events })
  if (!run.ok) return null
  const error = claimedErrorOf(receipt, answer.error)
  return { receipt, output: bytesToBase64(run.output), events: run.events, error }
}

/** Base64 that is short enough for a row. Null for a longer one, which only the answer has: nobody pays for keeping it. */
const inline = (text: string): string | null => (text.length <= (inlineBytesMax * 4) / 3 + 4 ? text : null)

function published(
  { roundId, round, input }: DirectRequest,
  { result, votes }: DirectOutcome,
  agreeing: number,
  validators: number,
  at: { now: number; ms: number },
): RoundRow {
  const receipt = result?.receipt
  return {
    roundId,
    kind: 'exec' as const,
    state: result === null ? ('failed' as const) : ('finalized' as const),
    projectId: null,
    consensusHash: null,
    epoch: null,
    seq: null,
    setHash: null,
    moduleAddress: round.module_address,
    function: round.function,
    inputHash: round.input_hash,
    gasLimit: round.gas_limit,
    issuedAt: round.issued_at,
    nonce: round.nonce,
    input: inline(input),
    fallback: null,
    committeeSize: validators,
    votes,
    agreeing,
    audited: false,
    receiptHash: receipt === undefined ? null : hashReceipt(receipt),
    success: receipt?.success ?? null,
    gasUsed: receipt?.gas_used ?? null,
    outputHash: receipt?.output_hash ?? null,
    eventsHash: receipt?.events_hash ?? null,
    output: result && inline(result.output),
    events: result && (JSON.stringify(result.events).length <= inlineBytesMax ? result.events : null),
    agreedAt: null,
    finalizedAt: result === null ? null : at.now,
    finalityMs: result === null ? null : at.ms,
    error: result === null ? ('no_quorum' as const) : result.error,
    taskId: null,
    createdAt: null,
  }
}
