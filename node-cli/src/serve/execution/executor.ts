import { zeroAddress } from '../../../../protocol/encoding/index.ts'
import { hashedMembers, type StateHead } from '../../../../protocol/execution/index.ts'
import {
  type DirectRound,
  deriveDirectRoundId,
  deriveTaskRoundId,
} from '../../../../protocol/identity/index.ts'
import {
  type ExecutionVote,
  executionSubject,
  type TaskVoteContent,
} from '../../../../protocol/rounds/index.ts'
import { type EngineChoice, type ExecutionResult, execute } from '../../engine/index.ts'
import { type NodeReceipt, type ReceiptEnvelope, shownResult, signNodeReceipt } from '../../receipts.ts'
import type { BackgroundThread } from '../background/background-thread.ts'
import type { Log } from '../log.ts'
import type { NodeParts } from '../part.ts'
import type { DirectRetention } from '../store/direct-rounds.ts'
import type { ServeStore } from '../store/index.ts'
import type { ModuleChange } from '../store/state-index.ts'
import type { ExecutionMetrics } from './execution-metrics.ts'
import { RunAbandoned, type RunKind } from './execution-queue.ts'
import type { LoadedModule } from './module-library.ts'
import { requireHeads } from './state-behind.ts'

interface ModuleRun {
  readonly address: string
  readonly module: LoadedModule
  readonly functionName: string
  readonly input: Uint8Array
  readonly gasLimit: number
  readonly signal: AbortSignal
}

export interface RunRequest extends ModuleRun {
  /** The round of the run, whose vote goes with the answer; null for a run outside rounds. */
  readonly round: DirectRound | null
  /** The state that a quorum signed last for the storage that the run may touch; null if nobody orders the rounds. */
  readonly heads: readonly StateHead[] | null
}

/** The result of a run, and the modules whose storage it looked at. */
interface Ran {
  readonly result: ExecutionResult
  readonly read: readonly string[]
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

export interface RunAnswer {
  readonly answer: string
  readonly vote: string | null
}

export interface TaskRerun {
  readonly receipt: NodeReceipt
  readonly output: Uint8Array
}

export interface ExecutorParts
  extends Pick<
    NodeParts,
    | 'background'
    | 'changes'
    | 'clock'
    | 'directBackground'
    | 'identity'
    | 'library'
    | 'log'
    | 'profile'
    | 'queue'
    | 'seed'
  > {
  readonly engine: EngineChoice
  /** Null: nobody is paid. */
  readonly payoutAddress: string | null
  readonly store: ServeStore
  /** How long, how many and how large direct rounds are kept. */
  readonly directRetention: DirectRetention
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
   * {@link VoteWithheld}, {@link StateBehind}.
   */
  async run(request: RunRequest): Promise<RunAnswer> {
    const { round } = request
    const { votes, directRounds } = this.#parts.store
    if (round !== null) {
      votes.checkAllowed(round.issued_at)
      directRounds.checkAllowed(round.issued_at)
    }
    const roundId = round === null ? null : deriveDirectRoundId(round)
    return this.#inTurn(request, round === null ? 'own' : 'direct', roundId, async (execute) => {
      // A request that waited behind another one of the same round finds its vote.
      const given = this.given(round)
      if (given !== null) return given
      await this.#requireOwnHead(request)
      return this.#keep(request, await execute())
    })
  }

  /**
   * Runs a task and votes on it. If the node has already voted in the round, it returns that vote.
   *
   * @returns The vote, as JSON.
   * @throws as {@link run}; {@link RunAbandoned} or {@link NodeFault} for a run that was given up, which gets no vote.
   */
  async runTask(run: TaskRun): Promise<string> {
    const { task, module, input, signal } = run
    const { module_address: address, function: functionName, gas_limit: gasLimit } = task
    this.#parts.store.votes.checkAllowed(task.issued_at)
    const request = { address, module, functionName, input, gasLimit, signal }
    return this.#inTurn(request, 'round', deriveTaskRoundId(task), async (execute) => {
      const { result } = await execute(signal)
      if (signal.aborted) throw new RunAbandoned('it was given up meanwhile')
      return this.#giveTaskVote(run, request, result)
    })
  }

  async #inTurn<T>(
    run: ModuleRun,
    kind: RunKind,
    roundId: string | null,
    work: (execute: (stop?: AbortSignal) => Promise<Ran>) => Promise<T>,
  ): Promise<T> {
    const { queue, metrics } = this.#parts
    const { input, module, signal } = run
    const queued = { kind, isExclusive: !module.stateless, bytes: input.length, signal }
    return queue.run(queued, async () => {
      const startedAt = performance.now()
      const log = this.#logOf(run, roundId)
      try {
        return await work(async (stop) => {
          const read = new Set<string>()
          const result = await metrics.measured(() => this.#execute(run, stop, read))
          logRun(log, result, startedAt)
          return { result, read: [...read] }
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
  rerunTask(request: ModuleRun, log: Log): Promise<TaskRerun> {
    const { queue, metrics, background } = this.#parts
    const { address, functionName, input, module, signal } = request
    const queued = { kind: 'round', isExclusive: !module.stateless, bytes: input.length, signal } as const
    return queue.run(queued, async () => {
      const startedAt = performance.now()
      const result = await metrics.measured(() => this.#execute(request, signal))
      logRun(log, result, startedAt)
      const receipt = await background.run('makeReceipt', { address, functionName, input, result })
      return { receipt, output: result.output ?? new Uint8Array() }
    })
  }

  /** The answer with the vote that this node has given in a round before. */
  given(round: DirectRound | null): RunAnswer | null {
    if (round === null) return null
    const { store, identity } = this.#parts
    const given = store.votes.find(identity.publicKey, 'execution', deriveDirectRoundId(round))
    return given === null ? null : { answer: given.answer ?? '{}', vote: given.vote }
  }

  /** @param read Takes the modules whose storage was looked at. */
  #execute(
    { address, module, functionName, input, gasLimit }: ModuleRun,
    stop?: AbortSignal,
    read?: Set<string>,
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
        stored: (owner, key) => {
          read?.add(owner)
          return store.modules.stored(owner, key)
        },
      },
    })
  }

  /** Before a run that would be for nothing. */
  async #requireOwnHead({ heads, module, address }: RunRequest): Promise<void> {
    const { changes, store } = this.#parts
    if (heads !== null && module.usesStorage)
      requireHeads(heads, await changes.of([], [address]), store.directState)
  }

  async #keep(request: RunRequest, { result, read }: Ran): Promise<RunAnswer> {
    const { store, changes, directBackground } = this.#parts
    const { address, module, round, heads } = request
    const changed = await changes.of(result.writes, module.usesStorage ? [address, ...read] : read)
    if (heads !== null) requireHeads(heads, changed, store.directState)
    const envelope = await this.#sign(directBackground, request, result)
    const answer = answerText(request, result, envelope)
    if (round !== null) return this.#giveDirectVote(round, { envelope, answer, changed })
    store.transaction(() => {
      changes.apply(changed)
      this.#appendToLedger(envelope)
    })
    return { answer, vote: null }
  }

  async #giveDirectVote(
    round: DirectRound,
    { envelope, answer, changed }: { envelope: ReceiptEnvelope; answer: string; changed: ModuleChange[] },
  ): Promise<RunAnswer> {
    const { store, clock, directBackground, directRetention, payoutAddress, seed } = this.#parts
    const content = {
      round,
      receipt: hashedMembers(envelope.receipt),
      payout_address: payoutAddress ?? zeroAddress,
      ...(changed.length > 0 && { state: changed.map(({ transition }) => transition) }),
    }
    const vote: ExecutionVote = await directBackground.run('makeExecutionVote', seed, content)
    const { issued_at: issuedAt } = round
    const createdAt = clock.now()
    const given = store.votes.give({ vote, issuedAt, answer, createdAt }, () => {
      store.directRounds.checkAllowed(issuedAt)
      // A quorum of the validators decides which changes are written, not this node alone.
      if (changed.some(({ index }) => index !== null))
        store.directState.keep(vote.round_id, { subject: executionSubject(vote), changes: changed })
      const ledgerId = this.#appendToLedger(envelope)
      // Answer and receipt both have the events.
      const bytes = 2 * answer.length + JSON.stringify(vote).length
      store.directRounds.keep({ roundId: vote.round_id, issuedAt, ledgerId, bytes, createdAt })
    })
    store.directRounds.prune(directRetention, createdAt)
    return { answer: given.answer ?? answer, vote: given.vote }
  }

  async #giveTaskVote(run: TaskRun, request: ModuleRun, result: ExecutionResult): Promise<string> {
    const { store, clock, background, seed } = this.#parts
    const { task, payout_address, position, alongside } = run
    const envelope = await this.#sign(background, request, result)
    const content = { task, receipt: hashedMembers(envelope.receipt), payout_address, position }
    const vote = await background.run('makeTaskVote', seed, content)
    const given = store.votes.give({ vote, issuedAt: task.issued_at, createdAt: clock.now() }, () => {
      store.taskData.keepReceipt(this.#appendToLedger(envelope))
      alongside(result)
    })
    if (!given.isNew) alongside(result)
    return given.vote
  }

  async #sign(
    background: BackgroundThread,
    { address, functionName, input }: ModuleRun,
    result: ExecutionResult,
  ): Promise<ReceiptEnvelope> {
    const { profile, seed, clock } = this.#parts
    const receipt = await background.run('makeReceipt', { address, functionName, input, result })
    return signNodeReceipt(profile, receipt, seed, clock.now())
  }

  #appendToLedger(envelope: ReceiptEnvelope): number {
    const { receipt, timestamp } = envelope
    return this.#parts.store.ledger.append({
      address: receipt.module_address,
      functionName: receipt.function,
      receiptHash: receipt.receipt_hash,
      envelope: JSON.stringify(envelope),
      createdAt: timestamp,
    })
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
