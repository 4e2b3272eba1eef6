import type { ErrorCode } from '../../../../protocol/errors.ts'
import { type ExecutionEvent, runErrorText } from '../../../../protocol/execution/index.ts'
import { deriveTaskRoundId } from '../../../../protocol/identity/index.ts'
import {
  type DeclineReason,
  type ErrorFrame,
  FrameError,
  holdingMax,
  type NodeFrame,
  type OfferFrame,
} from '../../../../protocol/link/index.ts'
import type { TaskVote } from '../../../../protocol/rounds/index.ts'
import { isDatabaseFailure } from '../../data-dir/database.ts'
import { NodeFault } from '../../engine/index.ts'
import { QueueFull, RunAbandoned } from '../execution/execution-queue.ts'
import type { Executor } from '../execution/executor.ts'
import { backoffSeconds } from '../hub/repeat.ts'
import type { Log } from '../log.ts'
import type { Uses } from '../part.ts'
import type { EndedLease, Lease } from '../store/leases.ts'
import type { WorkFrame } from './link.ts'
import type { MinerMetrics } from './miner-metrics.ts'
import type { CheckedOffer } from './offer-checks.ts'
import { DataDirFailed, HubAway, OfferRefused } from './offer-refused.ts'

export interface DeskLink {
  /** False when there is no connection. @throws {@link FrameError} for a frame that is too large. */
  readonly send: (frame: NodeFrame) => boolean
  readonly announce: () => void
  /** The time of the hub, by which it sets its deadlines; Unix seconds. */
  readonly now: () => number
}

export interface OfferDeskParts extends Uses<'clock' | 'identity' | 'log', 'leases' | 'votes'> {
  readonly workers: number
  readonly executor: Executor
  readonly link: DeskLink
  /** @param stop ends what waits for the hub. @throws {@link OfferRefused} */
  readonly check: (offer: OfferFrame, stop: AbortSignal) => Promise<CheckedOffer>
  readonly metrics: MinerMetrics
}

/** An offer that was not taken, for those who ask why there is no work. */
export interface Refusal {
  readonly offer_id: string
  readonly reason: DeclineReason
  readonly problem: string
  readonly at: number
}

/** An offer that holds a slot, or whose vote the hub has not confirmed yet. */
interface Held {
  readonly offerId: string
  readonly roundId: string
  stage: 'checking' | 'running' | 'voted'
  /** Ends the run, and keeps it from being voted on. */
  readonly abandon: AbortController
  deadline: NodeJS.Timeout | undefined
  retry: NodeJS.Timeout | undefined
  tries: number
}

const heldOf = (offerId: string, roundId: string, stage: Held['stage']): Held => ({
  ...{ offerId, roundId, stage, tries: 0 },
  abandon: new AbortController(),
  deadline: undefined,
  retry: undefined,
})

const withheldLookSeconds = 5

/** Codes of errors after which the same vote may be taken. */
const passingCodes: readonly ErrorCode[] = ['unavailable', 'internal', 'rate_limited']

/**
 * Receives offers and sends votes. An offer is held from the moment it comes until it is declined, or the hub has the vote,
 * took the offer back, or could not take a vote any more. An offer that is held is not started again, however often it comes;
 * its answer is sent again.
 */
export class OfferDesk {
  readonly #parts: OfferDeskParts
  readonly #held = new Map<string, Held>()
  readonly #runs = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #withheldBefore: number
  #lastRefusal: Refusal | null = null

  constructor(parts: OfferDeskParts) {
    this.#parts = parts
    const { leases, votes } = parts.store
    this.#withheldBefore = votes.withheldBefore()
    if (this.withheldUntil !== null) this.#awaitVotes()
    leases.endStale(parts.clock.now())
    // Leases of an earlier process without a vote have ended, so these have one.
    for (const lease of leases.open()) this.#resume(lease)
  }

  /** A node offers no slots while its votes are withheld: one that declines is blamed, and one without slots is not asked. */
  get slots(): number {
    return this.#stopping.signal.aborted || this.withheldUntil !== null ? 0 : this.#parts.workers
  }

  /** Until when a node on a copy of a data directory gives no votes; null if it gives some. */
  get withheldUntil(): number | null {
    return this.#parts.link.now() < this.#withheldBefore ? this.#withheldBefore : null
  }

  get holding(): readonly string[] {
    return [...this.#held.keys()]
  }

  get working(): number {
    return [...this.#held.values()].filter(({ stage }) => stage !== 'voted').length
  }

  get lastRefusal(): Refusal | null {
    return this.#lastRefusal
  }

  /** Repeats the frames that the hub may have missed while there was no connection. */
  rejoin(): void {
    for (const held of this.#held.values()) this.#repeat(held)
  }

  /** A miner ignores frames for validators. */
  hear(frame: WorkFrame): void {
    if (frame.type === 'offer') return this.#begin(frame)
    if (frame.type === 'error') return this.#refused(frame)
    if (frame.type !== 'cancel' && frame.type !== 'voted') return
    const held = this.#held.get(frame.offer_id)
    // A frame may come for an offer that is over here.
    if (held === undefined) return
    if (frame.type === 'cancel') this.#end(held, 'cancelled', frame.reason)
    else if (held.stage === 'voted') this.#end(held, 'counted', null, { hub_state: frame.state })
  }

  /** Takes no more offers, and resolves when the running ones have their votes. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#parts.link.announce()
    await Promise.all(this.#runs)
    for (const held of this.#held.values()) this.#put(held)
  }

  /** The time of the hub may leap. */
  #awaitVotes(): void {
    if (this.withheldUntil === null) return this.#parts.link.announce()
    setTimeout(() => this.#awaitVotes(), 1000 * withheldLookSeconds).unref()
  }

  #begin(offer: OfferFrame): void {
    const known = this.#held.get(offer.offer_id)
    if (known !== undefined) return this.#repeat(known)
    const run = this.#take(offer).finally(() => this.#runs.delete(run))
    this.#runs.add(run)
  }

  async #take(offer: OfferFrame): Promise<void> {
    const held = heldOf(offer.offer_id, deriveTaskRoundId(offer.task), 'checking')
    try {
      this.#requireRoom()
      this.#held.set(held.offerId, held)
      const { signal } = held.abandon
      const { check, store } = this.#parts
      // The hub sends an accepted offer again to a node that was killed; declined then, it would be one that was not kept.
      const accept_by = store.leases.wasTaken(held.offerId) ? offer.vote_by : offer.accept_by
      const stop = AbortSignal.any([signal, this.#stopping.signal])
      const checked = await check({ ...offer, accept_by }, stop)
      if (signal.aborted) return
      this.#requireServing()
      this.#accept(held, offer, checked)
      await this.#run(held, offer, checked)
    } catch (error) {
      // An offer that was taken back meanwhile needs no answer.
      if (held.stage === 'checking' && held.abandon.signal.aborted) return
      if (error instanceof HubAway && !this.#stopping.signal.aborted) return this.#leave(held, error)
      this.#decline(held, refusalOf(error))
    }
  }

  #requireRoom(): void {
    this.#requireServing()
    const { workers } = this.#parts
    if (this.working >= workers) throw new OfferRefused('busy', `all ${workers} slots are taken`)
    if (this.#held.size >= holdingMax)
      throw new OfferRefused('busy', `the hub has not confirmed the votes for ${this.#held.size} offers`)
  }

  #requireServing(): void {
    if (this.#stopping.signal.aborted) throw new OfferRefused('stopping', 'the node stops')
  }

  #accept(held: Held, { offer_id, task, position, role }: OfferFrame, { voteBy }: CheckedOffer): void {
    const { store, clock, link, metrics } = this.#parts
    store.leases.take({
      offer_id,
      round_id: held.roundId,
      project_id: task.project_id,
      function: task.function,
      position,
      role,
      vote_by: voteBy,
      changed_at: clock.now(),
    })
    held.stage = 'running'
    this.#endAt(held, voteBy)
    link.send({ type: 'accept', offer_id })
    metrics.offered('accepted')
    this.#logOf(held).info('offer accepted', { position, role, vote_in_secs: voteBy - link.now() })
  }

  /** @throws {@link OfferRefused} for a run without an answer of the guest. */
  async #run(held: Held, { task, position }: OfferFrame, checked: CheckedOffer): Promise<void> {
    const { executor, store, clock } = this.#parts
    const { module, input, payoutAddress } = checked
    const { signal } = held.abandon
    try {
      await executor.runTask({
        task,
        module,
        input,
        position,
        payout_address: payoutAddress,
        signal,
        alongside: ({ output, events, error }) => {
          const output_b64 = Buffer.from(output ?? []).toString('base64')
          const failure = error !== null && { error: runErrorText(error) }
          store.leases.vote(held.offerId, { output_b64, events, ...failure }, clock.now())
        },
      })
    } catch (error) {
      // The code that gave it up has ended the lease.
      if (error instanceof RunAbandoned || (signal.aborted && error instanceof NodeFault)) return
      if (error instanceof QueueFull) throw new OfferRefused('busy', error.message)
      if (!(error instanceof NodeFault)) throw error
      throw new OfferRefused(
        'incompatible',
        `the run failed because of a fault of this node: ${error.message}`,
      )
    }
    if (signal.aborted) return
    held.stage = 'voted'
    this.#sendVote(held)
  }

  #repeat(held: Held): void {
    if (held.stage === 'checking') return
    this.#parts.link.send({ type: 'accept', offer_id: held.offerId })
    if (held.stage === 'voted') this.#sendVote(held)
  }

  /** Sends the vote as the store has it, whatever was computed since. */
  #sendVote(held: Held): void {
    const { identity, link, store } = this.#parts
    const { votes, leases } = store
    try {
      const given = votes.find(identity.publicKey, 'task', held.roundId)
      const result = leases.resultOf(held.offerId)
      if (given === null || result === null) return
      const wasSent = link.send({
        type: 'vote',
        offer_id: held.offerId,
        vote: JSON.parse(given.vote) as TaskVote,
        output_b64: result.output_b64,
        events: result.events as readonly ExecutionEvent[],
        ...(result.error !== undefined && { error: result.error }),
      })
      if (wasSent) this.#logOf(held).debug('vote sent')
    } catch (error) {
      if (isDatabaseFailure(error)) {
        this.#logOf(held).error('the vote cannot be read; it is sent later', { reason: error.message })
        return this.#retryLater(held)
      }
      if (!(error instanceof FrameError)) throw error
      this.#end(held, 'missed', `output and events are too large to be sent: ${error.message}`)
      // The hub need not wait for what cannot come.
      link.send({ type: 'decline', offer_id: held.offerId, reason: 'incompatible' })
    }
  }

  /**
   * Says nothing of an offer that cannot be judged for a fault of the hub, which its records do not show: who declines owes a
   * vote where they say that all was served. Its time to accept runs out, and the hub asks another node.
   */
  #leave(held: Held, { reason, message }: HubAway): void {
    const { clock, metrics } = this.#parts
    metrics.offered('none')
    this.#put(held)
    this.#lastRefusal = { offer_id: held.offerId, reason, problem: message, at: clock.now() }
    this.#logOf(held).warn('offer not answered', { problem: message })
  }

  #decline(held: Held, refusal: OfferRefused): void {
    const { reason, message } = refusal
    const { clock, link, metrics } = this.#parts
    const { offerId, stage } = held
    if (stage === 'running') this.#end(held, 'missed', message)
    else metrics.offered(reason)
    this.#put(held)
    this.#lastRefusal = { offer_id: offerId, reason, problem: message, at: clock.now() }
    link.send({ type: 'decline', offer_id: offerId, reason })
    const isUsual = (reason === 'busy' || reason === 'stopping') && !(refusal instanceof DataDirFailed)
    const log = this.#logOf(held)[isUsual ? 'info' : 'error']
    log('offer declined', { reason, problem: message })
  }

  #refused({ code, message, offer_id }: ErrorFrame): void {
    const held = offer_id === undefined ? undefined : this.#held.get(offer_id)
    if (held === undefined) return this.#parts.log.warn('the hub refuses a frame', { code, reason: message })
    if (held.stage === 'voted' && passingCodes.includes(code)) return this.#retryLater(held)
    this.#end(held, held.stage === 'voted' ? 'refused' : 'cancelled', message, { code })
  }

  #retryLater(held: Held): void {
    clearTimeout(held.retry)
    held.tries += 1
    const seconds = backoffSeconds(held.tries, Math.random())
    held.retry = setTimeout(() => this.#sendVote(held), 1000 * seconds).unref()
  }

  #resume({ offer_id, round_id, vote_by }: Lease): void {
    const held = heldOf(offer_id, round_id, 'voted')
    this.#held.set(offer_id, held)
    this.#endAt(held, vote_by)
  }

  #endAt(held: Held, voteBy: number): void {
    const seconds = voteBy - this.#parts.link.now()
    held.deadline = setTimeout(() => {
      const problem =
        held.stage === 'voted' ? 'the hub did not confirm the vote in time' : 'the run did not end in time'
      this.#end(held, 'missed', problem)
    }, 1000 * seconds).unref()
  }

  #end(
    held: Held,
    state: EndedLease,
    reason: string | null,
    fields: Readonly<Record<string, string>> = {},
  ): void {
    const { metrics } = this.#parts
    if (this.#held.get(held.offerId) !== held) return
    this.#put(held)
    if (held.stage === 'checking') return
    this.#storeEnd(held, state, reason)
    metrics.ended(state)
    const isWrong = state === 'refused' || state === 'missed'
    this.#logOf(held)[isWrong ? 'error' : 'info'](`lease ${state}`, {
      ...(reason !== null && { reason }),
      ...fields,
    })
  }

  /** A lease that stays open in the store is missed after a restart, or its vote is sent once more. */
  #storeEnd(held: Held, state: EndedLease, reason: string | null): void {
    const { store, clock } = this.#parts
    try {
      store.leases.end(held.offerId, state, reason, clock.now())
    } catch (error) {
      if (!isDatabaseFailure(error)) throw error
      this.#logOf(held).error('the end of a lease cannot be stored', { reason: error.message })
    }
  }

  /** Forgets an offer, and gives up what still runs for it. */
  #put(held: Held): void {
    clearTimeout(held.deadline)
    clearTimeout(held.retry)
    held.abandon.abort()
    if (this.#held.get(held.offerId) === held) this.#held.delete(held.offerId)
  }

  #logOf({ roundId, offerId }: Held): Log {
    return this.#parts.log.with({ round_id: roundId, offer_id: offerId })
  }
}

/** A node that can store no vote takes no part; it goes on for when it can. @throws what is a bug. */
function refusalOf(error: unknown): OfferRefused {
  if (error instanceof OfferRefused) return error
  if (!isDatabaseFailure(error)) throw error
  return new DataDirFailed(error)
}
