import { Waiters } from '../waiters.ts'
import type { Round } from './round.ts'
import * as transitions from './transitions.ts'

/** A note that need not be stored at once is stored after this time, unless a change is stored before. */
const storedSoonMs = 1_000
/** A vote waits this long for others to be stored with it, since each change that is stored is a row. Its sender is told afterwards. */
const votesStoredMs = 100

/** An alarm that comes later than this says that the hub was not there to hear anybody. */
const lateMs = 5_000

/** The round in memory and in storage, and the callers that wait until it has come to a state. */
export class KeptRound {
  readonly #storage: DurableObjectStorage
  readonly #waiting = new Waiters()
  #round: Round | null
  #storing: ReturnType<typeof setTimeout> | undefined
  /** Votes that are in memory alone, and what stores them. */
  #votes: (PromiseWithResolvers<void> & { timer: ReturnType<typeof setTimeout> }) | null = null
  /** Whether there are votes that could not be stored: who gives one again waits until it is. */
  #isVoteUnstored = false

  constructor(storage: DurableObjectStorage, processId: string) {
    this.#storage = storage
    const stored = storage.kv.get<Round>('round')
    this.#round = stored === undefined ? null : transitions.resumed(stored, processId)
  }

  /** Null before it begins, and once it is forgotten. */
  get round(): Round | null {
    return this.#round
  }

  /** Whether a vote waits to be stored. */
  get isVoteWaiting(): boolean {
    return this.#votes !== null || this.#isVoteUnstored
  }

  /** A machine that stood still is back with whatever comes first, also before the alarm. @param alarmMs - When one comes or should have come. */
  noticeAbsence(alarmMs: number | null): void {
    if (alarmMs !== null && Date.now() - alarmMs > lateMs) this.change(transitions.interrupted)
  }

  /** Applies an event, and stores what changed. */
  change(event: (round: Round) => Round): void {
    if (this.#round === null) return
    const changed = event(this.#round)
    if (changed !== this.#round) this.store(changed)
  }

  /** Notes that something was done, which is stored with the next change: until then it would be done again. */
  note(done: (round: Round) => Round): void {
    if (this.#round !== null) this.become(done(this.#round))
  }

  become(round: Round): void {
    this.#round = round
    this.#waiting.look()
  }

  store(round: Round): void {
    clearTimeout(this.#storing)
    this.#storing = undefined
    this.#storage.kv.put('round', round)
    this.#forgetVotes()
    this.become(round)
  }

  storeSoon(): void {
    this.#storing ??= setTimeout(() => this.#round !== null && this.store(this.#round), storedSoonMs)
  }

  /** Returns once the vote that was noted just now is stored: at once where nobody else is awaited. */
  async voteStored(): Promise<void> {
    this.#votes ??= {
      ...Promise.withResolvers<void>(),
      timer: setTimeout(() => this.#tryToStore(), votesStoredMs),
    }
    const { promise } = this.#votes
    if (this.#round?.closedAt !== null) this.#tryToStore()
    await promise
  }

  /** Stores votes that wait, before anybody reads of them. @throws Where they cannot be stored. */
  storeVotes(): void {
    if (this.isVoteWaiting && this.#round !== null) this.store(this.#round)
  }

  #tryToStore(): void {
    const votes = this.#votes
    try {
      this.storeVotes()
    } catch (error) {
      this.#votes = null
      this.#isVoteUnstored = true
      votes?.reject(error)
    }
  }

  /** They are stored, or there is nothing left to store. */
  #forgetVotes(): void {
    this.#isVoteUnstored = false
    if (this.#votes === null) return
    clearTimeout(this.#votes.timer)
    this.#votes.resolve()
    this.#votes = null
  }

  /** Waits until something holds of the round. @returns Whether it does. */
  until(isSo: () => boolean, ms: number): Promise<boolean> {
    return this.#waiting.until(isSo, ms)
  }

  /** Deletes it from memory and storage. An alarm goes with it. */
  async forget(): Promise<void> {
    this.#round = null
    this.#forgetVotes()
    clearTimeout(this.#storing)
    this.#waiting.look()
    await this.#storage.deleteAll()
  }
}
