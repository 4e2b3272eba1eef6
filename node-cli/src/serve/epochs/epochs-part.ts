import { paramsOfEpoch } from '../../../../protocol/committees/index.ts'
import { attemptStart, leaderOfAttempt } from '../../../../protocol/earnings/index.ts'
import type { KnownValidators } from '../generations/membership.ts'
import { HubError } from '../hub/hub-error.ts'
import { backoffSeconds } from '../hub/repeat.ts'
import { type Part, repeatingPart, type Uses } from '../part.ts'
import { VoteWithheld } from '../slashing-protection/votes.ts'
import type { OpenEpoch, ProjectEpoch } from '../store/epochs.ts'
import { NotYet, Refusal } from '../validator/refusal.ts'
import type { EpochReceipts } from './epoch-receipts.ts'
import type { HubEpochs } from './hub-epochs.ts'
import type { EpochLeader } from './leader.ts'
import { type OpenRounds, RoundsOpen } from './open-rounds.ts'

const turnSeconds = 5
/** Until the node knows the validators, which is soon after the first start. */
const firstSeconds = 1
/** Epochs that are worked on at once: a slow peer delays few. */
const atOnce = 8
/** Peers that did not attest are asked again after this time, within one attempt. */
const proposePauseMs = 15_000
/** An epoch whose receipt waits for open rounds is tried again after this time. */
const openPauseMs = 10_000
/** The hub may take a refused receipt later, when its index has advanced. After a new generation, the node asks earlier. */
const refusedPauseMs = 300_000
const projectsPauseMs = 600_000
const projectsOfTurn = 5
/** A hub that is made again from a backup lacks the receipts that it took since. Operators use a backup of the last days. */
const lostSeconds = 7 * 86_400
/** An epoch whose records still pay nobody this long after its first attempt is closed as empty. */
const emptySeconds = 86_400
/** After this many searches in which no peer has a record of an epoch, the epoch counts as one without work. */
const askedInVainMax = 3

/** When an epoch is looked at again. In memory: a restarted node looks at once. */
interface Pace {
  /** On the clock of `performance.now`. */
  dueAt: number
  failures: number
  /** The attempt in which the hub was asked whether the epoch is settled. */
  askedIn: number
  /** The newest generation of validators that this node knew when the hub refused the receipt. */
  refusedOf: string | null
  /** Whether neither this node nor a peer had a final round of it: the first one ends the wait. */
  lacksRounds: boolean
}

const unpaced: Pace = { dueAt: 0, failures: 0, askedIn: -1, refusedOf: null, lacksRounds: false }

export type EpochsPartParts = KnownValidators &
  Uses<
    'clock' | 'identity' | 'log' | 'metrics' | 'paramsSchedule' | 'status',
    'epochs' | 'hubContact' | 'rounds' | 'senders'
  >

export interface Settling {
  readonly receipts: EpochReceipts
  readonly leader: EpochLeader
  readonly hub: HubEpochs
  readonly openRounds: OpenRounds
}

/** Settles epochs: leads the attempts that are this node's, and brings what is attested to the hub, for as long as it takes. */
export function epochsPart(parts: EpochsPartParts, settling: Settling, stopping: AbortController): Part {
  const { store, metrics, status } = parts
  const epochs = new Epochs(parts, settling, stopping.signal)
  const { count } = store.epochs
  metrics.gauge('epochs_open', 'Epochs with rounds for which the hub has no receipt', () => count().open)
  metrics.gauge('epochs_settled', 'Epochs that this node knows to be settled', () => count().settled)
  status.set('epochs', () => ({ ...count(), problem: epochs.problem }))
  return repeatingPart(() => epochs.turn(), stopping)
}

class Epochs {
  readonly #parts: EpochsPartParts
  readonly #settling: Settling
  readonly #stop: AbortSignal
  readonly #paces = new Map<string, Pace>()
  #projects: string[] = []
  #projectsDueAt = 0
  /** Projects of which it is to be seen whether the hub still has the receipts that it took. */
  #unverified = new Set<string>()
  /** The span of contact with the hub in which they were; undefined before the first. */
  #verifiedSpan: number | null | undefined
  /** Why the last epoch that could not be settled is not. */
  problem: string | null = null

  constructor(parts: EpochsPartParts, settling: Settling, stop: AbortSignal) {
    this.#parts = parts
    this.#settling = settling
    this.#stop = stop
  }

  async turn(): Promise<number> {
    const { store, clock, identity } = this.#parts
    if (store.senders.roleOf(identity.publicKey) !== 'validator')
      return store.senders.all().length === 0 ? firstSeconds : turnSeconds
    try {
      store.epochs.collect()
      await this.#learn()
      const due = store.epochs.due(clock.now()).filter((epoch) => this.#isDue(epoch))
      while (due.length > 0 && !this.#stop.aborted)
        await Promise.all(due.splice(0, atOnce).map((epoch) => this.#bring(epoch)))
    } catch (error) {
      if (!this.#stop.aborted)
        this.#parts.log.error('epochs could not be checked', { reason: (error as Error).stack })
    }
    return turnSeconds
  }

  #isDue(epoch: OpenEpoch): boolean {
    const { dueAt, refusedOf, lacksRounds } = this.#paceOf(epoch)
    if (dueAt <= performance.now()) return true
    if (lacksRounds) return this.#parts.store.rounds.finalPage({ ...epoch, after: 0, limit: 1 }).length > 0
    return refusedOf !== null && refusedOf !== this.#newest()
  }

  #newest = (): string | null => this.#parts.generations.newest?.hash ?? null

  async #bring(epoch: OpenEpoch): Promise<void> {
    Object.assign(this.#paceOf(epoch), { dueAt: 0, refusedOf: null, lacksRounds: false })
    try {
      if (epoch.isAttested) await this.#submitAgain(epoch)
      else await this.#attempt(epoch)
    } catch (error) {
      if (error instanceof RoundsOpen) {
        this.#tell(epoch, error.message)
        this.#paceOf(epoch).dueAt = performance.now() + openPauseMs
        return
      }
      const isExpected = error instanceof Refusal || error instanceof NotYet || error instanceof VoteWithheld
      if (!isExpected) throw error
      this.#tell(epoch, error.message)
      this.#delay(epoch)
    }
  }

  async #attempt(epoch: OpenEpoch): Promise<void> {
    const { store, clock, paramsSchedule, identity } = this.#parts
    const { receipts, hub, openRounds } = this.#settling
    let rules = await receipts.rules(epoch)
    if (rules === null) {
      await receipts.complete(epoch)
      rules = await receipts.rules(epoch)
    }
    if (rules === null) return this.#giveUpLater(epoch)
    const { epoch_secs } = rules.work
    const params = paramsOfEpoch(paramsSchedule, epoch.epoch, epoch_secs)
    const first = attemptStart(epoch.epoch, epoch_secs, 0, params)
    if (clock.now() < first) return store.epochs.postpone(epoch, first)
    const attempt = Math.floor((clock.now() - first) / params.attempt_secs)
    const pace = this.#paceOf(epoch)
    if (pace.askedIn !== attempt && (await hub.isSettled(epoch))) return this.#settled(epoch)
    pace.askedIn = attempt
    const validators = receipts.validators({ round: epoch.epoch, epoch_secs })
    const leader = leaderOfAttempt(validators, epoch.projectId, epoch.epoch, attempt)
    if (leader !== identity.publicKey) return
    await openRounds.requireNone(epoch, rules)
    await this.#lead(epoch, attempt, first)
  }

  async #lead(epoch: OpenEpoch, attempt: number, first: number): Promise<void> {
    const { store, clock } = this.#parts
    const led = await this.#settling.leader.lead(epoch, attempt)
    if (led.status === 'attested') {
      // On the disk before it is sent: the agreement survives the end of this process.
      store.epochs.keepReceipt(epoch, led.receipt)
      await this.#submit(epoch)
    } else if (led.status === 'too_few') {
      this.#tell(epoch, `${led.attested} other validators attest it, and ${led.needed - 1} must`)
      this.#paceOf(epoch).dueAt = performance.now() + proposePauseMs
    } else if (clock.now() > first + emptySeconds) this.#close(epoch, 'empty')
    else this.#paceOf(epoch).dueAt = performance.now() + proposePauseMs
  }

  /** The hub counts what became final before it has a receipt as paid, so a receipt that lacks it is made again. */
  async #submitAgain(epoch: ProjectEpoch): Promise<void> {
    const { store } = this.#parts
    const own = await this.#settling.receipts.own(epoch)
    const isOld = own !== null && own.receiptHash !== store.epochs.receipt(epoch)?.receipt_hash
    if (isOld) store.epochs.keepReceipt(epoch, null)
    else await this.#submit(epoch)
  }

  async #submit(epoch: ProjectEpoch): Promise<void> {
    const { store } = this.#parts
    const receipt = store.epochs.receipt(epoch)!
    // An emergency generation may have come since it was attested.
    if (!(await this.#settling.receipts.isAttested(receipt))) return store.epochs.keepReceipt(epoch, null)
    const newest = this.#newest()
    const submitted = await this.#settling.hub.submit(receipt)
    if (submitted.status === 'settled') return this.#settled(epoch)
    this.#tell(epoch, submitted.reason)
    // Early: what a round earns that is final by the next try belongs in the receipt. Refused: the hub takes no such receipt.
    if (submitted.status !== 'later') store.epochs.keepReceipt(epoch, null)
    if (submitted.status !== 'refused') return this.#delay(epoch, submitted.retryAfterSeconds)
    const pace = this.#paceOf(epoch)
    pace.dueAt = performance.now() + refusedPauseMs
    // An emergency generation has another quorum.
    pace.refusedOf = newest
    void this.#parts.generationFollower?.ask()
  }

  #settled(epoch: ProjectEpoch): void {
    this.#close(epoch, 'settled')
    this.problem = null
    this.#parts.log.info('the hub has the receipt of an epoch', fieldsOf(epoch))
  }

  #close(epoch: ProjectEpoch, state: 'settled' | 'empty'): void {
    this.#parts.store.epochs.close(epoch, state, this.#parts.clock.now())
    this.#paces.delete(nameOf(epoch))
  }

  /** No peer has a round of this epoch either, or none could be asked yet. */
  #giveUpLater(epoch: ProjectEpoch): void {
    const pace = this.#paceOf(epoch)
    pace.failures += 1
    if (pace.failures >= askedInVainMax) return this.#close(epoch, 'empty')
    pace.dueAt = performance.now() + projectsPauseMs
    pace.lacksRounds = true
  }

  /** Learns of epochs that are over from the hub, a few projects at a time: this node may have missed all of their rounds. */
  async #learn(): Promise<void> {
    try {
      if (this.#projects.length === 0 && this.#projectsDueAt <= performance.now()) {
        this.#projectsDueAt = performance.now() + projectsPauseMs
        this.#projects = await this.#settling.hub.projects()
        const span = this.#parts.store.hubContact.span()
        if (span !== this.#verifiedSpan) this.#unverified = new Set(this.#projects)
        this.#verifiedSpan = span
      }
      for (const projectId of this.#projects.splice(0, projectsOfTurn)) {
        if (this.#unverified.has(projectId)) await this.#reopenLost(projectId)
        for (const epoch of await this.#settling.hub.closed(projectId))
          this.#parts.store.epochs.add({ projectId, epoch })
      }
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      // The next turn goes on with the next project.
      this.#parts.log.debug('the hub does not list its epochs', { reason: error.message })
    }
  }

  /** After the hub was away, or this node: the hub may be made again from a backup, and lack receipts that it took since. */
  async #reopenLost(projectId: string): Promise<void> {
    const { epochs } = this.#parts.store
    const settled = epochs.settledSince(projectId, this.#parts.clock.now() - lostSeconds)
    const taken = settled.length === 0 ? [] : await this.#settling.hub.taken(projectId)
    for (const epoch of settled.filter((one) => !taken.includes(one))) {
      epochs.reopen({ projectId, epoch })
      this.#parts.log.warn('the hub lost the receipt of an epoch', fieldsOf({ projectId, epoch }))
    }
    this.#unverified.delete(projectId)
  }

  #delay(epoch: ProjectEpoch, secondsMin = 0): void {
    const pace = this.#paceOf(epoch)
    const seconds = Math.max(secondsMin, backoffSeconds(pace.failures, Math.random()))
    pace.failures += 1
    pace.dueAt = performance.now() + 1000 * seconds
  }

  #tell(epoch: ProjectEpoch, problem: string): void {
    if (problem !== this.problem)
      this.#parts.log.warn('an epoch is not settled yet', { ...fieldsOf(epoch), reason: problem })
    this.problem = problem
  }

  #paceOf(epoch: ProjectEpoch): Pace {
    const name = nameOf(epoch)
    const pace = this.#paces.get(name) ?? { ...unpaced }
    this.#paces.set(name, pace)
    return pace
  }
}

const nameOf = ({ projectId, epoch }: ProjectEpoch): string => `${projectId}:${epoch}`
const fieldsOf = ({ projectId, epoch }: ProjectEpoch) => ({ project_id: projectId, epoch })
