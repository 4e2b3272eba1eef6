import { paramsOfEpoch } from '../../../../protocol/committees/index.ts'
import { hashedMembers } from '../../../../protocol/execution/index.ts'
import { deriveTaskRoundId } from '../../../../protocol/identity/index.ts'
import type { ProjectRules } from '../../../../protocol/manifest/index.ts'
import { closedRoundState, createFinalityRecord } from '../../../../protocol/rounds/index.ts'
import type { Executor, TaskRerun } from '../execution/executor.ts'
import { type KnownValidators, requireMembership } from '../generations/membership.ts'
import type { HubSources } from '../hub/sources/index.ts'
import type { Log } from '../log.ts'
import { Once } from '../once.ts'
import type { Uses } from '../part.ts'
import type { GivenVote } from '../slashing-protection/votes.ts'
import type { Judgement } from '../store/rounds.ts'
import type { ChainFacts } from './chain/chain-facts.ts'
import { findAuditBlockProblem } from './chain/chain-rules.ts'
import { Refusal, refusal } from './refusal.ts'
import type { RoundBook } from './round-book.ts'
import type { JudgedRound, TaskRound } from './round-rules.ts'

export interface TaskRoundsParts
  extends KnownValidators,
    Uses<
      'background' | 'clock' | 'identity' | 'log' | 'paramsSchedule' | 'profile' | 'seed',
      'file' | 'rounds' | 'roundVotes' | 'sets' | 'taskData' | 'votes'
    > {
  readonly executor: Executor
}

/** Decides task rounds: one finality vote for each, for ever. */
export class TaskRounds {
  readonly #parts: TaskRoundsParts
  readonly #hub: HubSources
  readonly #chain: ChainFacts | null
  readonly #book: RoundBook
  /** The hub asks again while a task still runs. */
  readonly #decisions = new Once<GivenVote>()
  /** A run continues when its caller is gone: the next request finds its vote. */
  readonly #whileRunning = new AbortController().signal

  constructor(parts: TaskRoundsParts, hub: HubSources, chain: ChainFacts | null, book: RoundBook) {
    this.#parts = parts
    this.#hub = hub
    this.#chain = chain
    this.#book = book
  }

  /**
   * Gives this node's finality vote, with its own run of the task if the round is audited.
   *
   * @throws {@link Refusal} that names the problem; {@link NotYet}; {@link VoteWithheld}; {@link QueueFull};
   * {@link NodeFault}.
   */
  async decide(round: TaskRound): Promise<GivenVote> {
    const { store, identity, log } = this.#parts
    const roundId = deriveTaskRoundId(round.task)
    const given = store.votes.find(identity.publicKey, 'finality', roundId)
    if (given !== null) return given
    try {
      return await this.#decisions.run(roundId, () => this.#decide(roundId, round))
    } catch (error) {
      log.warn('no finality vote given', { round_id: roundId, reason: (error as Error).message })
      throw error
    }
  }

  async #decide(roundId: string, round: TaskRound): Promise<GivenVote> {
    const { store, background, log } = this.#parts
    const { task, input } = round
    store.votes.checkAllowed(task.issued_at)
    const inputHash = await background.run('hashPayload', input)
    if (inputHash !== task.input_hash)
      throw refusal('input_b64', `has the hash ${inputHash}, and not that of the task.`)
    const consensus = await this.#hub.rules(task.project_id, task.consensus_hash)
    const { project_id: projectId, epoch, set_hash: setHash } = task
    await requireMembership(this.#parts, { epoch, epochSecs: consensus.work.epoch_secs })
    await this.#hub.storeSet({ projectId, epoch, setHash })
    const judged = await this.#judge(round, consensus)
    const ofRound = log.with({ round_id: roundId })
    const run = judged.audited ? await this.#run(round, ofRound) : null
    return this.#vote(round, judged, run, ofRound)
  }

  async #judge({ input: _, ...round }: TaskRound, consensus: ProjectRules): Promise<JudgedRound> {
    const { background, clock, paramsSchedule, profile, store } = this.#parts
    const params = paramsOfEpoch(paramsSchedule, round.task.epoch, consensus.work.epoch_secs)
    const { set_hash: setHash } = round.task
    const stored = { file: store.file, setHash }
    const context = { ...stored, profile, params, consensus, now: clock.now() }
    const judged = await background.runReading(store.sets.bytes(setHash), 'judgeRound', round, context)
    if (judged.status === 'invalid') throw new Refusal(judged.problems)
    const wrong = this.#chain === null ? null : await findAuditBlockProblem(this.#chain, round)
    if (wrong !== null) throw new Refusal([wrong])
    return judged
  }

  async #run({ task, input }: TaskRound, log: Log): Promise<TaskRerun> {
    const module = await this.#hub.module(task.module_address)
    if (!module.stateless)
      throw refusal('task.module_address', 'must be that of a module without storage and calls.')
    if (!module.functions.includes(task.function))
      throw refusal('task.function', `must be one that the module exports: ${module.functions.join(', ')}.`)
    const { module_address: address, function: functionName, gas_limit: gasLimit } = task
    const request = { address, module, functionName, input, gasLimit, signal: this.#whileRunning }
    return this.#parts.executor.rerunTask(request, log)
  }

  async #vote(round: TaskRound, judged: JudgedRound, run: TaskRerun | null, log: Log): Promise<GivenVote> {
    const { background, profile, seed, store, clock } = this.#parts
    const { task, fallback, agreed_at, audit_block } = round
    const { tally: counted, audited } = judged
    const record = createFinalityRecord(task, counted, run?.receipt ?? null)
    const own = await background.run('makeFinalityVote', profile, seed, record)
    const { votes: _, ...tally } = counted
    const judgement: Judgement = { agreed_at, audit_block, fallback, members: judged.members, tally }
    const state = closedRoundState(fallback !== null, tally.contested, audited)
    const vote = { vote: own.vote, issuedAt: task.issued_at, answer: runText(run), createdAt: clock.now() }
    const given = store.votes.give(vote, () => {
      store.taskData.keepAnswer(record.round_id)
      const now = clock.now()
      store.rounds.judge({ roundId: record.round_id, task, judgement }, state, now)
      for (const cast of judged.votes) store.roundVotes.keep({ vote: cast, subject: cast.receipt_hash }, now)
      store.roundVotes.keep(own, now)
    })
    log.info('finality vote given', {
      state,
      audited,
      receipt_hash: record.receipt_hash,
      counted: tally.counted.length,
      rejected: tally.rejected.length,
    })
    this.#book.settle(record.round_id)
    return given
  }
}

/** The run as it is answered, each time with the same text. */
const runText = (run: TaskRerun | null): string =>
  run === null
    ? 'null'
    : JSON.stringify({
        receipt: hashedMembers(run.receipt),
        output_b64: Buffer.from(run.output).toString('base64'),
        events: run.receipt.events,
        ...(run.receipt.error !== null && { error: run.receipt.error }),
      })
