import { DurableObject } from 'cloudflare:workers'
import type { Block } from '../../protocol/committees/index.ts'
import type { DeclineReason, RoundAnswer } from '../../protocol/link/index.ts'
import { Alarm } from '../alarm.ts'
import type { RoundPort, VoteBody, VoteResult } from '../link/types.ts'
import { Attempts, longestPauseMs } from './attempts.ts'
import { AuditBlockSearch } from './audit-block-search.ts'
import type { DirectOutcome, DirectRequest } from './direct.ts'
import { dueEffects, type Effect, effectName, isLookingForBlock, nextTime } from './due.ts'
import { KeptRound } from './kept-round.ts'
import { orElse } from './or-else.ts'
import {
  type Awaited,
  beginRound,
  isReached,
  type Lease,
  publicState,
  type Round,
  type RoundTerms,
  type RoundWaiting,
  waitingFor,
} from './round.ts'
import { TakenVotes } from './taken-votes.ts'
import * as transitions from './transitions.ts'
import type { AnswerListener, Recorded, RoundConfig } from './types.ts'

/** Work that is under way in memory is taken up again after this time if its process has ended. */
const backstopMs = 15_000
/** An alarm is set this much after the deadline that it is for. */
const alarmSlackMs = 1_000

/**
 * One task from offer to final: `env.ROUND.getByName('<round id>')`. The other files define the result of each event, and the effects
 * that are due. Each change is stored before its effects are carried out, so the alarm takes up work that a process left. The note that
 * an effect was carried out is stored with the next change, since it may be repeated. The object forgets all once its project knows the end.
 */
export class RoundObject<Env = unknown, View = unknown> extends DurableObject<Env> implements RoundPort {
  readonly #config: RoundConfig<View>
  readonly #alarm: Alarm
  readonly #kept: KeptRound
  readonly #votes: TakenVotes<View>
  readonly #auditBlock: AuditBlockSearch<View>
  #working: Promise<void> | null = null
  #isAskedAgain = false
  readonly #attempts = new Attempts()
  #recorded: Recorded<View> | null = null
  /** Whether the round may have its record, of which an object that was loaded again does not know. */
  #isUnsure: boolean
  #looking: ReturnType<typeof setTimeout> | undefined
  /** While validators are asked. */
  #listener: AnswerListener | null = null

  constructor(ctx: DurableObjectState, env: Env, config: RoundConfig<View>) {
    super(ctx, env)
    this.#config = config
    this.#alarm = new Alarm(ctx.storage)
    this.#kept = new KeptRound(ctx.storage, config.processId)
    this.#votes = new TakenVotes(this.#kept, config)
    this.#auditBlock = new AuditBlockSearch(this.#kept, config)
    this.#isUnsure = (this.#round?.closedAt ?? null) !== null
  }

  get #round(): Round | null {
    return this.#kept.round
  }

  /**
   * Begins the round, once. @param isRepeated - Whether it may have begun before, and be over: this object may have forgotten it then.
   * @returns The round, if this began it.
   */
  async start(terms: RoundTerms, isRepeated: boolean): Promise<View | null> {
    const ended = this.#round === null && isRepeated ? await this.#config.ended(terms.roundId) : null
    if (ended !== null) {
      await this.#config.end(terms, ended)
      return null
    }
    let begun: View | null = null
    if (this.#round === null) this.#kept.become(beginRound(terms, this.#config.processId))
    if (this.#round?.drawn === null) {
      // A committee that is drawn is stored with the round; if it cannot be drawn now, the alarm tries again.
      const isDrawn = (await this.#perform({ kind: 'seat' })) !== 'failed'
      if (!isDrawn && this.#round !== null) this.#kept.store(this.#round)
      const now = await this.#config.now()
      const next = this.#round && nextTime(this.#round, now)
      const inMs = next === null ? backstopMs : (next - now) * 1000
      await this.#alarm.by(Date.now() + Math.max(0, Math.min(backstopMs, inMs)))
      begun = this.#round && this.#view(this.#round)
    }
    this.#work()
    return begun
  }

  /** The round as everybody reads it; null if it has not begun, or is over and has its record. */
  async read(): Promise<View | null> {
    if (await this.#isRecordedElsewhere()) return null
    this.#kept.storeVotes()
    return this.#round && this.#view(this.#round)
  }

  /** A direct round: it is over when this returns, and leaves nothing here. */
  async execute(request: DirectRequest): Promise<DirectOutcome> {
    return this.#config.execute(request)
  }

  /** Nothing is done for it, so it is stored with the vote that follows, or soon. */
  async accepted(offerId: string, nodeKey: string): Promise<void> {
    const lease = this.#leaseOf(offerId, nodeKey)
    if (lease === null) return
    this.#kept.note((round) => transitions.accepted(round, lease.position))
    this.#kept.storeSoon()
    this.#work()
  }

  /** The reason of a node is its own affair, unless the hub is the reason: it owes a vote where the hub served what that takes, and had not taken its slot for free before the node could know. */
  async declined(offerId: string, nodeKey: string, reason: DeclineReason, isExcused: boolean): Promise<void> {
    const lease = this.#leaseOf(offerId, nodeKey)
    if (this.#round === null || lease === null) return
    // Data that cannot be read now was not served either.
    const unread = orElse(false, `the input of ${this.#round.terms.roundId} cannot be read`)
    const isServed = !isExcused && (await this.#config.isServed(this.#round, reason).catch(unread))
    await this.#changeNow((round, now) => transitions.declined(round, lease.position, isServed, now))
    this.#work()
  }

  /** Takes a vote. It is stored when this says so. It counts by when it came, however long the hub takes to look at it. */
  async voted(offerId: string, nodeKey: string, body: VoteBody): Promise<VoteResult> {
    const cameAt = await this.#config.now()
    const { result, isNews } = await this.#votes.take(this.#leaseOf(offerId, nodeKey), body, cameAt)
    if (isNews) this.#work()
    return result
  }

  /** The project saw its audit block. */
  async blockFound(block: Block): Promise<void> {
    if (this.#round?.auditBlock === null && (await this.#auditBlock.find(block))) this.#work()
  }

  /** An answer that comes while nobody is asked is lost: the validator gives it again. */
  async decided(nodeKey: string, answer: RoundAnswer): Promise<string | null> {
    return this.#listener?.(nodeKey, answer) ?? null
  }

  /** Waits until the round came this far. @returns How it stands then; null if its record has to be read. */
  async wait(awaited: Awaited, ms: number): Promise<{ isReached: boolean; view: View } | null> {
    if (await this.#isRecordedElsewhere()) return null
    const isSo = () => this.#round === null || isReached(this.#round, awaited)
    const reached = await this.#kept.until(isSo, ms)
    this.#kept.storeVotes()
    return this.#round && { isReached: reached, view: this.#view(this.#round) }
  }

  async waitingFor(): Promise<RoundWaiting | null> {
    return this.#round && waitingFor(this.#round)
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    this.#alarm.gone()
    if (this.#round === null) return
    // The project may not have said that the audit block is there.
    this.#auditBlock.looksHere = true
    this.#kept.noticeAbsence(info?.scheduledTime ?? null)
    try {
      await this.#work()
    } catch (error) {
      // The platform tries an alarm six times and then never again.
      console.error(`${this.#round?.terms.roundId} could not be brought forward`, error)
      await this.#alarm.by(Date.now() + backstopMs)
    }
  }

  /** Before its record is stored nobody reads that it is over: the record has all that is asked for then. */
  #view(round: Round): View {
    if (round.isRecorded) return this.#recorded?.view ?? this.#config.view(round)
    return this.#config.view({ ...round, outcome: null })
  }

  /** Whether the record has to be read, because this process has not read it. Its predecessor may have ended after it was stored. */
  async #isRecordedElsewhere(): Promise<boolean> {
    const round = this.#round
    if (round === null || !this.#isUnsure) return false
    if (!(await this.#config.isRecorded(round.terms.roundId))) {
      this.#isUnsure = false
      return false
    }
    // The content of the record does not matter: the work that is left is the same for any end.
    const at = await this.#config.now()
    this.#kept.note((one) => (one.outcome === null ? { ...one, outcome: { state: 'failed', at } } : one))
    return true
  }

  #leaseOf(offerId: string, nodeKey: string): Lease | null {
    this.#kept.noticeAbsence(this.#alarm.atMs)
    const lease = this.#round?.leases[Number(offerId.split('.')[1])]
    return lease?.nodeKey === nodeKey ? lease : null
  }

  /** Carries out due effects, one run at a time. An event in the meantime makes it look again. */
  #work(): Promise<void> {
    this.#isAskedAgain = true
    this.#working ??= this.#workOff()
    return this.#working
  }

  async #workOff(): Promise<void> {
    try {
      while (this.#isAskedAgain) {
        await this.#workOnce()
        await this.#rest()
      }
    } finally {
      this.#working = null
    }
  }

  async #workOnce(): Promise<void> {
    // Asked in vain, it is found out when the record is to be stored.
    if (this.#isUnsure)
      await this.#isRecordedElsewhere().catch(orElse(false, 'a record cannot be looked for'))
    while (this.#isAskedAgain && this.#round !== null) {
      this.#isAskedAgain = false
      this.#kept.noticeAbsence(this.#alarm.atMs)
      const now = await this.#config.now()
      this.#kept.change((round) => transitions.passTime(round, now))
      const due = this.#due(now)
      if (due.length > 0) {
        await this.#alarm.by(Date.now() + backstopMs)
        const done = await Promise.all(due.map((effect) => this.#perform(effect)))
        this.#isAskedAgain ||= done.includes('done')
      }
    }
    if (this.#round === null) this.#isAskedAgain = false
  }

  #due(now: number): Effect[] {
    if (this.#round === null) return []
    return dueEffects(this.#round, now).filter((effect) => this.#attempts.isDue(effectName(effect)))
  }

  async #rest(): Promise<void> {
    if (this.#round === null) return
    const [now, nowMs] = [await this.#config.now(), Date.now()]
    const next = nextTime(this.#round, now)
    const due = this.#due(now)
    const times = this.#attempts.comingMs(nowMs)
    if (next !== null) times.push(nowMs + Math.max(0, next - now) * 1000 + alarmSlackMs)
    if (due.length > 0 || this.#config.mayLeap) times.push(nowMs + backstopMs)
    // The project says when the block is there. Until then nothing keeps the object awake, which would be charged.
    if (isLookingForBlock(due) && this.#auditBlock.isAwaited) this.#stopLooking()
    // Each alarm is a row, so what is looked for often is looked for in memory.
    else if (due.length > 0 || this.#config.mayLeap)
      this.#looking ??= setTimeout(() => this.#lookAgain(), this.#config.pollMs)
    await this.#alarm.by(times.reduce((one, other) => Math.min(one, other), nowMs + longestPauseMs))
  }

  #stopLooking(): void {
    clearTimeout(this.#looking)
    this.#looking = undefined
  }

  #lookAgain(): void {
    this.#looking = undefined
    this.#work().catch((error) =>
      console.error(`${this.#round?.terms.roundId} could not be brought forward`, error),
    )
  }

  async #perform(effect: Effect): Promise<'done' | 'waiting' | 'failed'> {
    const name = effectName(effect)
    try {
      const done = await this.#act(effect)
      this.#attempts.succeeded(name)
      return done ? 'done' : 'waiting'
    } catch (error) {
      console.error(`${name} of ${this.#round?.terms.roundId} failed`, error)
      this.#attempts.failed(name)
      return 'failed'
    }
  }

  /** Whether anything came of it. */
  async #act(effect: Effect): Promise<boolean> {
    const round = this.#round
    if (round === null) return false
    switch (effect.kind) {
      case 'seat': {
        if (round.drawn !== null) return false
        const drawn = await this.#config.seat(round.terms)
        return this.#changeNow((one, now) => transitions.seated(one, drawn, now))
      }
      case 'record':
        return this.#record(round)
      case 'list':
        return this.#list(round)
      case 'offer':
        return this.#offer(effect.lease)
      case 'cancel':
        await this.#config.cancel(round, effect.lease)
        this.#kept.note((one) => transitions.cancelled(one, effect.lease.position))
        return true
      case 'confirm':
        return this.#confirm(round, effect.lease)
      case 'find_audit_block':
        return this.#auditBlock.await(round)
      case 'ask':
        return this.#ask(round)
      case 'end':
        return this.#end(round)
      case 'delete':
        return this.#forget()
    }
  }

  /** Nothing came of it where the node has to be waited for: the alarm tells it again. */
  async #offer({ position }: Lease): Promise<boolean> {
    const now = await this.#config.now()
    this.#kept.note((one) => transitions.offering(one, position, now))
    const lease = this.#round?.leases[position]
    if (this.#round === null || lease?.state !== 'offering') return false
    const outcome = await this.#config.offer(this.#round, lease)
    if (outcome === 'offered') this.#kept.note((one) => transitions.offered(one, position, outcome, now))
    else await this.#changeNow((one, then) => transitions.offered(one, position, outcome, then))
    return outcome !== 'full' && outcome !== 'away'
  }

  /** A link that does not answer now may not have been there before either. */
  async #confirm(round: Round, lease: Lease): Promise<true> {
    const problem = `the link of ${lease.nodeKey} does not say whether it heard its node`
    const isHeard = await this.#config.wasHeard(round, lease).catch(orElse(false, problem))
    this.#kept.change((one) => transitions.confirmed(one, lease.position, isHeard))
    return true
  }

  async #changeNow(event: (round: Round, now: number) => Round): Promise<true> {
    const now = await this.#config.now()
    this.#kept.change((round) => event(round, now))
    return true
  }

  async #record(round: Round): Promise<boolean> {
    const { outcome } = round
    if (outcome === null) return false
    // The first record is what happened: before it was there, a process may have ended that had come to another end.
    this.#recorded = await this.#config.record({ ...round, outcome })
    this.#isUnsure = false
    this.#kept.note((one) => ({ ...one, isRecorded: true }))
    return true
  }

  async #end(round: Round): Promise<boolean> {
    // Another process may have stored it.
    if (this.#recorded === null) await this.#record(round)
    if (this.#recorded === null) return false
    const { roundId, task } = round.terms
    const { row } = this.#recorded
    await this.#config.end(round.terms, {
      ...{ roundId, epoch: task.epoch, row },
      finalityVotes: round.finalityVotes,
    })
    this.#kept.note((one) => ({ ...one, isReleased: true }))
    return true
  }

  async #list(round: Round): Promise<true> {
    // Lists never take back a state, so votes are stored first.
    this.#kept.storeVotes()
    await this.#config.list(round)
    // If the committee was drawn meanwhile, lists still lack it.
    this.#kept.note((one) => (one.drawn === round.drawn ? { ...one, listed: publicState(round) } : one))
    return true
  }

  /** Validators refuse a block that a reorganisation took back, so it is looked for again before they are asked again. */
  async #ask({ asking, terms }: Round): Promise<boolean> {
    if (asking.attempts > 0 && !(await this.#auditBlock.find())) return false
    if (this.#round === null) return false
    const listen = (listener: AnswerListener) => {
      this.#listener = listener
    }
    const asked = this.#config.ask(this.#round, listen).finally(() => {
      this.#listener = null
    })
    const answers = await asked
    const ms = Date.now() - terms.startedAtMs
    const now = await this.#config.now()
    if (this.#round === null) return true
    const after = transitions.answered(this.#round, answers, { now, ms })
    // An end is stored by its record; before that, another process would come to one again.
    if (after.outcome !== null) this.#kept.become(after)
    else this.#kept.change(() => after)
    return true
  }

  async #forget(): Promise<boolean> {
    this.#stopLooking()
    this.#alarm.gone()
    await this.#kept.forget()
    return false
  }
}
