import type { ExecutionVote } from '../../../../protocol/consensus/index.ts'
import { zeroAddress } from '../../../../protocol/encoding/index.ts'
import type { StateTransition } from '../../../../protocol/execution/index.ts'
import { type DirectRound, deriveDirectRoundId } from '../../../../protocol/identity/index.ts'
import { type EngineChoice, type ExecutionResult, execute } from '../../engine/index.ts'
import { type NodeReceipt, type ReceiptEnvelope, shownResult, signNodeReceipt } from '../../receipts.ts'
import type { BackgroundThread } from '../background/background-thread.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ServeStore } from '../store/index.ts'
import type { ExecutionMetrics } from './execution-metrics.ts'
import type { ExecutionQueue } from './execution-queue.ts'
import type { LoadedModule, ModuleLibrary } from './module-library.ts'

/** One run of a module that the node keeps. */
export interface RunRequest {
  readonly address: string
  readonly module: LoadedModule
  readonly functionName: string
  readonly input: Uint8Array
  readonly gasLimit: number
  /** What the run is part of, whose vote goes with the answer. */
  readonly round: DirectRound | null
  readonly signal: AbortSignal
}

/** What the node answers to a run, as JSON. */
export interface RunAnswer {
  readonly answer: string
  /** Null without a round. */
  readonly vote: string | null
}

/** What came of a task. */
export interface TaskRun {
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
    const { queue, metrics, store } = this.#parts
    if (request.round !== null) store.votes.checkAllowed(request.round.issued_at)
    const { input, module, signal } = request
    const queued = { isExclusive: !module.stateless, bytes: input.length, signal }
    return queue.run(queued, async () => {
      // What waited behind another request of the same round finds its vote.
      const given = this.given(request.round)
      if (given !== null) return given
      const startedAt = performance.now()
      const log = this.#logOf(request)
      try {
        const result = await metrics.measured(() => this.#execute(request))
        const kept = await this.#keep(request, result)
        logRun(log, result, startedAt)
        return kept
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
  runTask(request: RunRequest, log: Log): Promise<TaskRun> {
    const { queue, metrics, background } = this.#parts
    const { address, functionName, input, module, signal } = request
    return queue.run({ isExclusive: !module.stateless, bytes: input.length, signal }, async () => {
      const startedAt = performance.now()
      const result = await metrics.measured(() => this.#execute(request))
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

  #execute({ address, module, functionName, input, gasLimit }: RunRequest): Promise<ExecutionResult> {
    const { engine, store, library } = this.#parts
    return execute({
      engine,
      address,
      module,
      function: functionName,
      input,
      gasLimit,
      state: {
        module: (asked) => library.find(asked),
        stored: (owner, key) => store.modules.stored(owner, key),
      },
    })
  }

  async #keep(request: RunRequest, result: ExecutionResult): Promise<RunAnswer> {
    const { store, seed, clock, background } = this.#parts
    const { address, functionName, input, round } = request
    const receipt = await background.run('makeReceipt', { address, functionName, input, result })
    const envelope = signNodeReceipt(receipt, seed, clock.now())
    const answer = answerText(request, result, envelope)
    const writeRun = () => {
      store.writeStorage(result.writes)
      store.ledger.append({
        address,
        functionName,
        receiptHash: receipt.receipt_hash,
        envelope: JSON.stringify(envelope),
        createdAt: envelope.timestamp,
      })
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

  async #vote(
    request: RunRequest,
    round: DirectRound,
    { receipt }: ReceiptEnvelope,
    result: ExecutionResult,
  ): Promise<ExecutionVote> {
    const { background, seed, payoutAddress } = this.#parts
    const { events: _, error: __, receipt_hash: ___, ...hashed } = receipt
    const state = await this.#transitions(request, result)
    const content = {
      round,
      receipt: hashed,
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

  #logOf({ address, functionName, round }: RunRequest): Log {
    return this.#parts.log.with({
      ...(round !== null && { round_id: deriveDirectRoundId(round) }),
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
