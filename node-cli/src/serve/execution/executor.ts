import type { ExecutionVote, TaskVoteContent } from '../../../../protocol/consensus/index.ts'
import { zeroAddress } from '../../../../protocol/encoding/index.ts'
import { hashedMembers, type StateTransition } from '../../../../protocol/execution/index.ts'
import {
  type DirectRound,
  deriveDirectRoundId,
  deriveTaskRoundId,
} from '../../../../protocol/identity/index.ts'
import { type EngineChoice, type ExecutionResult, execute } from '../../engine/index.ts'
import { type NodeReceipt, type ReceiptEnvelope, shownResult, signNodeReceipt } from '../../receipts.ts'
import type { BackgroundThread } from '../background/background-thread.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ServeStore } from '../store/index.ts'
import type { ExecutionMetrics } from './execution-metrics.ts'
import { type ExecutionQueue, RunAbandoned } from './execution-queue.ts'
import type { LoadedModule, ModuleLibrary } from './module-library.ts'

/** One run of a module that the node keeps. */
interface ModuleRun {
  readonly address: string
  readonly module: LoadedModule
  readonly functionName: string
  readonly input: Uint8Array
  readonly gasLimit: number
  /** Takes it out of the queue. */
  readonly signal: AbortSignal
}

/** A run for a caller of the node. */
export interface RunRequest extends ModuleRun {
  /** What the run is part of, whose vote goes with the answer. */
  readonly round: DirectRound | null
}

/** The run of a task whose committee the node is in. */
export interface TaskRun extends Omit<TaskVoteContent, 'receipt'> {
  readonly module: LoadedModule
  readonly input: Uint8Array
  /** Takes it out of the queue, ends it, and keeps it from being voted on. */
  readonly signal: AbortSignal
  /** Writes what belongs to the vote, in its transaction. */
  readonly alongside: (result: ExecutionResult) => void
}

/** What the node answers to a run, as JSON. */
export interface RunAnswer {
  readonly answer: string
  /** Null without a round. */
  readonly vote: string | null
}

/** What came of a task that a validator runs itself. */
export interface TaskRerun {
  readonly receipt: NodeReceipt
  readonly output: Uint8Array
}

export interface ExecutorParts {
  readonly engine: EngineChoice
  readonly seed: string
  readonly publicKey: string
  /** Null: nobody is paid. */
  readonly payoutAddress: string | null
  readonly store: ServeStore
  readonly library: ModuleLibrary
  readonly queue: ExecutionQueue
  readonly background: BackgroundThread
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ExecutionMetrics
}

/** Runs modules of the node, signs what came of it, and keeps all of a run in one transaction before it is answered. */
export class Executor {
  readonly #parts: ExecutorParts

  constructor(parts: ExecutorParts) {
    this.#parts = parts
  }

  /**
   * @throws {@link NodeFault} for a run without an answer of the guest, {@link QueueFull}, {@link RunAbandoned},
   * {@link VoteWithheld}.
   */
  async run(request: RunRequest): Promise<RunAnswer> {
    const { round } = request
    if (round !== null) this.#parts.store.votes.checkAllowed(round.issued_at)
    return this.#inTurn(request, round === null ? null : deriveDirectRoundId(round), async (execute) => {
      // What waited behind another request of the same round finds its vote.
      return this.given(round) ?? this.#keep(request, await execute())
    })
  }

  /**
   * Runs a task and votes on it. Where the node has voted in the round before, that vote is the one.
   *
   * @returns The vote, as JSON.
   * @throws as {@link run}; {@link RunAbandoned} or {@link NodeFault} for a run that was given up, which gets no vote.
   */
  async runTask(run: TaskRun): Promise<string> {
    const { task, module, input, signal } = run
    const { module_address: address, function: functionName, gas_limit: gasLimit } = task
    this.#parts.store.votes.checkAllowed(task.issued_at)
    const request = { address, module, functionName, input, gasLimit, signal }
    return this.#inTurn(request, deriveTaskRoundId(task), async (execute) => {
      const result = await execute(signal)
      if (signal.aborted) throw new RunAbandoned('it was given up meanwhile')
      return this.#giveTaskVote(run, request, result)
    })
  }

  async #inTurn<T>(
    run: ModuleRun,
    roundId: string | null,
    work: (execute: (stop?: AbortSignal) => Promise<ExecutionResult>) => Promise<T>,
  ): Promise<T> {
    const { queue, metrics } = this.#parts
    const { input, module, signal } = run
    const queued = { isExclusive: !module.stateless, bytes: input.length, signal }
    return queue.run(queued, async () => {
      const startedAt = performance.now()
      const log = this.#logOf(run, roundId)
      try {
        return await work(async (stop) => {
          const result = await metrics.measured(() => this.#execute(run, stop))
          logRun(log, result, startedAt)
          return result
        })
      } catch (error) {
        log.warn('not executed', { reason: (error as Error).message })
        throw error
      }
    })
  }

  /**
   * Runs a task for a decision of this node's own, which is kept where the decision is.
   *
   * @throws {@link NodeFault}, {@link QueueFull}, {@link RunAbandoned}.
   */
  rerunTask(request: RunRequest, log: Log): Promise<TaskRerun> {
    const { queue, metrics, background } = this.#parts
    const { address, functionName, input, module, signal } = request
    return queue.run({ isExclusive: !module.stateless, bytes: input.length, signal }, async () => {
      const startedAt = performance.now()
      const result = await metrics.measured(() => this.#execute(request, undefined))
      logRun(log, result, startedAt)
      const receipt = await background.run('makeReceipt', { address, functionName, input, result })
      return { receipt, output: result.output ?? new Uint8Array() }
    })
  }

  /** The answer with the vote that this node has given in a round before. */
  given(round: DirectRound | null): RunAnswer | null {
    if (round === null) return null
    const { store, publicKey } = this.#parts
    const given = store.votes.find(publicKey, 'execution', deriveDirectRoundId(round))
    return given === null ? null : { answer: given.answer ?? '{}', vote: given.vote }
  }

  #execute(
    { address, module, functionName, input, gasLimit }: ModuleRun,
    stop: AbortSignal | undefined,
  ): Promise<ExecutionResult> {
    const { engine, store, library } = this.#parts
    return execute({
      engine,
      address,
      module,
      function: functionName,
      input,
      gasLimit,
      ...(stop !== undefined && { signal: stop }),
      state: {
        module: (asked) => library.find(asked),
        stored: (owner, key) => store.modules.stored(owner, key),
      },
    })
  }

  async #keep(request: RunRequest, result: ExecutionResult): Promise<RunAnswer> {
    const { store, clock } = this.#parts
    const { round } = request
    const envelope = await this.#sign(request, result)
    const answer = answerText(request, result, envelope)
    const writeRun = () => {
      store.writeStorage(result.writes)
      this.#appendToLedger(envelope)
    }
    if (round === null) {
      store.transaction(writeRun)
      return { answer, vote: null }
    }
    const vote = await this.#vote(request, round, envelope, result)
    const { issued_at: issuedAt } = round
    const given = store.votes.give({ vote, issuedAt, answer, createdAt: clock.now() }, writeRun)
    return { answer: given.answer ?? answer, vote: given.vote }
  }

  async #giveTaskVote(run: TaskRun, request: ModuleRun, result: ExecutionResult): Promise<string> {
    const { store, clock, background, seed } = this.#parts
    const { task, payout_address, position, alongside } = run
    const envelope = await this.#sign(request, result)
    const content = { task, receipt: hashedMembers(envelope.receipt), payout_address, position }
    const vote = await background.run('makeTaskVote', { seed, content })
    const given = store.votes.give({ vote, issuedAt: task.issued_at, createdAt: clock.now() }, () => {
      this.#appendToLedger(envelope)
      alongside(result)
    })
    if (!given.isNew) alongside(result)
    return given.vote
  }

  async #sign(
    { address, functionName, input }: ModuleRun,
    result: ExecutionResult,
  ): Promise<ReceiptEnvelope> {
    const { background, seed, clock } = this.#parts
    const receipt = await background.run('makeReceipt', { address, functionName, input, result })
    return signNodeReceipt(receipt, seed, clock.now())
  }

  #appendToLedger(envelope: ReceiptEnvelope): void {
    const { receipt, timestamp } = envelope
    this.#parts.store.ledger.append({
      address: receipt.module_address,
      functionName: receipt.function,
      receiptHash: receipt.receipt_hash,
      envelope: JSON.stringify(envelope),
      createdAt: timestamp,
    })
  }

  async #vote(
    request: RunRequest,
    round: DirectRound,
    { receipt }: ReceiptEnvelope,
    result: ExecutionResult,
  ): Promise<ExecutionVote> {
    const { background, seed, payoutAddress } = this.#parts
    const state = await this.#transitions(request, result)
    const content = {
      round,
      receipt: hashedMembers(receipt),
      payout_address: payoutAddress ?? zeroAddress,
      ...(state.length > 0 && { state }),
    }
    return background.run('makeExecutionVote', { seed, content })
  }

  /** How the stores of modules changed: that of the module itself when it has one, and any other that was written. */
  async #transitions(
    { address, module }: RunRequest,
    { writes }: ExecutionResult,
  ): Promise<StateTransition[]> {
    const { store, background } = this.#parts
    const written = new Set(writes.map((write) => write.address))
    const addresses = new Set([...(module.usesStorage ? [address] : []), ...written])
    const transitions: StateTransition[] = []
    for (const changed of [...addresses].sort()) {
      const { pre, post } = await background.run('computeStateRoots', {
        file: store.file,
        address: changed,
        writes,
      })
      const sequence = store.modules.sequence(changed)
      transitions.push({
        module_address: changed,
        pre_root: pre,
        pre_seq: sequence,
        post_root: post,
        post_seq: sequence + (written.has(changed) ? 1 : 0),
      })
    }
    return transitions
  }

  #logOf({ address, functionName }: ModuleRun, roundId: string | null): Log {
    return this.#parts.log.with({
      ...(roundId !== null && { round_id: roundId }),
      module: address,
      function: functionName,
    })
  }
}

function logRun(log: Log, { logs, success, gasUsed }: ExecutionResult, startedAt: number): void {
  for (const line of logs) log.debug('the module logged', { line })
  log.info('executed', { success, gas_used: gasUsed, ms: Math.round(performance.now() - startedAt) })
}

function answerText({ gasLimit }: RunRequest, result: ExecutionResult, envelope: ReceiptEnvelope): string {
  const { gas_used, ...shown } = shownResult(result)
  return JSON.stringify({
    ...shown,
    gas_limit: gasLimit,
    gas_used,
    events: result.events,
    receipt: envelope,
  })
}
