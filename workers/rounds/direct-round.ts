import type { DirectOutcome, DirectRequest } from '../../durable-objects/round/direct.ts'
import type { Result } from '../../durable-objects/round/round.ts'
import { type ExecutionVote, parseExecutionVote, quorum, VoteError } from '../../protocol/consensus/index.ts'
import { isObject } from '../../protocol/encoding/index.ts'
import { hashReceipt } from '../../protocol/execution/index.ts'
import { askValidator } from '../committees/ask-validator.ts'
import { bytesToBase64 } from '../http/base64.ts'
import { roundEnd } from '../settlement/round-end.ts'
import type { Validator } from '../stores/network.ts'
import { roundEffects } from '../stores/round-effects.ts'
import type { RoundStore } from '../stores/rounds.ts'
import { inlineBytesMax, keepRun, readRun } from './run-result.ts'
import type { ValidatorSources } from './validators.ts'

/** The caller waits for 30 s at most, and what came in has to be written. */
const answerMsMax = 27_000

const utf8 = new TextEncoder()

/**
 * Has every validator run a module, and takes what a quorum of equal receipts says. It is one request of one caller: where it
 * breaks off, the caller asks again, in a round of its own.
 */
export async function runDirectRound(
  sources: ValidatorSources & { rounds: RoundStore },
  request: DirectRequest,
): Promise<DirectOutcome> {
  const startedAtMs = Date.now()
  const { network, rounds, roundFiles } = sources
  const validators = await network.validators()
  const needed = quorum(validators.length)
  const gathered = await gather(sources, request, validators, needed)
  const agreed = [...gathered.byReceipt.values()].find(({ votes }) => votes.length >= needed)
  await roundFiles.putDirectRound({
    round_id: request.roundId,
    round: request.round,
    exec_votes: gathered.votes,
  })
  const outcome = {
    result: agreed?.result ?? null,
    votes: gathered.votes.length,
    quorum: needed,
  }
  const at = { now: await sources.now(), ms: Date.now() - startedAtMs }
  const row = published(request, outcome, agreed?.votes.length ?? 0, validators.length, at)
  await rounds.publish(row, roundEffects(roundEnd(row, null, at.now)))
  return outcome
}

interface Gathered {
  votes: ExecutionVote[]
  byReceipt: Map<string, { votes: ExecutionVote[]; result: Result | null }>
}

/** Returns with the vote that makes a quorum, or when all have answered or the time is up. */
async function gather(
  sources: ValidatorSources,
  { roundId, round, input }: DirectRequest,
  validators: readonly Validator[],
  needed: number,
): Promise<Gathered> {
  const gathered: Gathered = { votes: [], byReceipt: new Map() }
  const { rules } = sources
  if (rules === null) return gathered
  const { module_address: module, function: name, gas_limit } = round
  const body = utf8.encode(JSON.stringify({ module, function: name, input_b64: input, gas_limit, round }))
  const call = { path: '/execute', body, now: await sources.now(), answerMsMax }
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const asked = validators.map(async ({ url, publicKey }) => {
    const answer = await askValidator(url, call, rules)
    const vote = readVote(sources, roundId, publicKey, answer)
    if (vote === null) return
    gathered.votes.push(vote)
    const group = gathered.byReceipt.get(vote.receipt_hash) ?? { votes: [], result: null }
    gathered.byReceipt.set(vote.receipt_hash, group)
    group.votes.push(vote)
    group.result ??= await readResult(sources, vote, answer)
    if (group.votes.length >= needed && group.result !== null) resolve()
  })
  await Promise.race([enough, Promise.all(asked)])
  return { votes: [...gathered.votes], byReceipt: new Map(gathered.byReceipt) }
}

function readVote(
  { profile }: ValidatorSources,
  roundId: string,
  publicKey: string,
  answer: unknown,
): ExecutionVote | null {
  if (!isObject(answer) || !isObject(answer.vote) || answer.vote.public_key !== publicKey) return null
  try {
    const vote = parseExecutionVote(profile, answer.vote)
    return vote.round_id === roundId ? vote : null
  } catch (error) {
    if (error instanceof VoteError) return null
    throw error
  }
}

/** Output comes as a text, or in base64 where it is none. */
async function readResult(
  { roundFiles }: ValidatorSources,
  { receipt }: ExecutionVote,
  answer: unknown,
): Promise<Result | null> {
  if (!isObject(answer)) return null
  const text = typeof answer.output === 'string' ? answer.output : ''
  const output_b64 = answer.output_b64 ?? bytesToBase64(utf8.encode(text))
  const run = readRun(receipt, { output_b64, events: answer.events })
  return run.ok ? keepRun(roundFiles, receipt, run) : null
}

function published(
  { roundId, round, input }: DirectRequest,
  { result, votes }: DirectOutcome,
  agreeing: number,
  validators: number,
  at: { now: number; ms: number },
) {
  const receipt = result?.receipt
  return {
    taskId: null,
    leases: [],
    round: {
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
      input: input.length <= (inlineBytesMax * 4) / 3 + 4 ? input : null,
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
      output: result?.output ?? null,
      events: result?.events ?? null,
      agreedAt: null,
      finalizedAt: result === null ? null : at.now,
      finalityMs: result === null ? null : at.ms,
      error: result === null ? ('no_quorum' as const) : null,
    },
  }
}
