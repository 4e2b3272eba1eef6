import { DurableObject } from 'cloudflare:workers'
import { RpcError } from '../chain/json-rpc.ts'
import { untilNextLook } from '../indexer/newest-blocks.ts'
import { type CopiedRows, type CopyPage, dumpPage, endLoading, loadRows } from '../object-copy.ts'
import { migrate } from '../sql-migrations.ts'
import { Allowances } from './allowances.ts'
import type { ChainReading, RelayerChain } from './chain.ts'
import { feeCapFor, initialFees } from './fees.ts'
import { RelayLedger, relayerTables } from './ledger.ts'
import { relayerMigrations } from './migrations.ts'
import { isRpcFault, type Parts, partsOf, requireRpcFault } from './parts.ts'
import { Passes } from './passes.ts'
import { Readings } from './readings.ts'
import { readSendRefusal } from './send-errors.ts'
import type { RelayerConfig, RelayerHealth, RelayRequest, RelayResult, RelayView } from './types.ts'
import { viewOf } from './view.ts'

export type * from './types.ts'

/** Alarms that failed in a row after which the relayer calls itself unavailable. */
const failedAlarmsMax = 3
/** For this long nobody may know what used the nonce of an action, before that is a fault. */
const undecidedMs = 10 * 60_000
/** For this long a block may not take an accepted action, before that is a fault. */
const overdueMs = 10 * 60_000
/** Alarms that change nothing come more and more rarely, down to this many ticks apart. */
const idleFactorMax = 10
/** An alarm that is overdue by this many ticks is lost. */
const overdueTicks = 10
const submittedMax = 100
/** Actions that are compared with the database at once. */
const revisionsMax = 5_000
/** A pending action whose message has not come after this time is submitted without it. */
const messageMsMax = 5_000
/** Gas an action may take by default: with its margin below 2^24 (EIP-7825), and twice what the largest batch of claims takes. */
const relayGasMax = 12_000_000
/** Gas the balance must pay for, and the day must have left: a few of the usual actions. */
const healthyGas = 1_000_000n
/**
 * How long an object that was asked to hand over accepts nothing; at least half of it after each further request. New settings are
 * everywhere sooner.
 */
const handedOverMs = 10 * 60_000

/**
 * Owns the nonces of one key on one chain: `env.RELAYER.getByName('<chain id>:<key address>')`. Nothing else may sign with that key. An
 * action that reverts when simulated is not accepted. An accepted action is pending; a submitted one gets its nonce, is signed and
 * stored, and only then sent. From there on alarms bring it into a final block: the same transaction again, or a replacement with the
 * same nonce and higher fees.
 */
export class RelayerObject<Env = unknown> extends DurableObject<Env> {
  readonly #ledger: RelayLedger
  readonly #allowances: Allowances
  readonly #parts: Parts | null
  readonly #readings: Readings
  readonly #passes: Passes | null
  readonly #accepting = new Map<string, Promise<RelayResult>>()
  readonly #serialized = new Map<string, string>()
  #alarmAtMs: number | null = null
  #failedAlarms = 0
  #idleAlarms = 0
  #changesSeen = -1

  constructor(ctx: DurableObjectState, env: Env, config: RelayerConfig | null) {
    super(ctx, env)
    this.#ledger = new RelayLedger(ctx.storage)
    this.#allowances = new Allowances(ctx.storage, config ?? { gasPerDay: 0, gasPerOwner: 0 })
    this.#parts = config && partsOf(config, this.#ledger, ctx.storage)
    this.#readings = new Readings(this.#parts?.chain ?? null, this.#ledger)
    this.#passes = this.#parts && new Passes(this.#parts, this.#ledger, this.#readings)
    void ctx.blockConcurrencyWhile(async () => {
      migrate(ctx.storage, relayerMigrations)
      this.#alarmAtMs = await ctx.storage.getAlarm()
    })
  }

  /** Accepts an action that would succeed now, for the queue to submit, or answers as before: one id is one transaction, ever. */
  async accept(request: RelayRequest): Promise<RelayResult> {
    return this.#acceptOnce(request, async (id, { publisher }) => {
      publisher.announce(id)
      // A client that is told it was accepted may read where it is at once.
      await publisher.publish()
    })
  }

  async relay(request: RelayRequest): Promise<RelayResult> {
    return this.#acceptOnce(request, async (id, { publisher }) => {
      await this.submit([id])
      await publisher.publish()
    })
  }

  /** Sends pending actions with their nonces, and passes others over, so that any call may be repeated. If the chain fails or asks too much, they wait for an alarm. */
  async submit(ids: readonly string[]): Promise<void> {
    const isPending = (id: string) => this.#ledger.find(id)?.nonce === null
    if (this.#parts === null || !ids.some(isPending)) return
    const { reconciler, publisher } = this.#parts
    let reading: ChainReading
    try {
      reading = await this.#readings.recent()
      // Every nonce before a first one that is too high would have to be used up.
      if (reading.count > this.#ledger.nextNonce()) {
        const again = await this.#readings.take()
        if (again.count !== reading.count) return
      }
    } catch (error) {
      return requireRpcFault(error)
    }
    const submitted = ids.flatMap((id) => {
      const gas = this.#ledger.find(id)?.gas
      const isPayable = gas !== undefined && initialFees(reading, this.#feeCap(gas)) !== null
      return (isPayable && this.#ledger.assignNonce(id, reading.count)) || []
    })
    const armed = this.#arm()
    await reconciler.submit(submitted, reading, Date.now())
    await armed
    await publisher.publish()
  }

  async find(id: string): Promise<RelayView | null> {
    return this.#find(id)
  }

  /** The reason why another key must not accept an action, or null. Not all hubs know of that key yet, so this one accepts nothing for a while. */
  async handOver(request: Pick<RelayRequest, 'id' | 'serializationKey'>): Promise<RelayResult | null> {
    const { id, serializationKey } = request
    const untilMs = Date.now() + handedOverMs
    if (this.#handedOverUntilMs() < untilMs - handedOverMs / 2)
      this.ctx.storage.kv.put('handed_over_until_ms', untilMs)
    const known = this.#find(id)
    if (known) return { status: 'accepted', relay: known }
    const ahead = serializationKey === null ? null : this.#ledger.findUnmined(serializationKey)
    return ahead && { status: 'busy', id: ahead.id }
  }

  #handedOverUntilMs(): number {
    return this.ctx.storage.kv.get<number>('handed_over_until_ms') ?? 0
  }

  #accepts(): boolean {
    return this.#parts?.config.accepts === true && Date.now() >= this.#handedOverUntilMs()
  }

  #find(id: string): RelayView | null {
    const relay = this.#ledger.find(id)
    return relay && viewOf(relay)
  }

  /** @param isExact - Whether the balance is asked for now: of an operator, not of everybody. */
  async health(isExact = false): Promise<RelayerHealth> {
    const oldestOpenMs = this.#ledger.oldestOpenMs()
    const facts = {
      signer: this.#parts?.signer.address ?? null,
      open: this.#ledger.countOpen(),
      undecided: this.#ledger.countUndecided(Date.now() - undecidedMs),
      overdue: this.#ledger.countOverdue(Date.now() - overdueMs),
      oldestOpenAt: oldestOpenMs === null ? null : Math.floor(oldestOpenMs / 1000),
      nextNonce: this.#ledger.nextNonce(),
      filled: this.#ledger.countFilled(),
      gasToday: this.#allowances.gasUsed(Date.now()),
      gasPerDay: this.#allowances.gasPerDay,
    }
    try {
      // Status is asked all the time, and what its answers cost must not depend on how often.
      const view = await this.#readings.recent(isExact ? undefined : this.#parts?.config.viewMs)
      // A balance that an operator has refilled shows at once.
      const seen = this.#pays(view) ? view : await this.#readings.recent()
      const gasLeft = this.#allowances.gasPerDay - this.#allowances.gasUsed(Date.now())
      const works = this.#failedAlarms < failedAlarmsMax && facts.undecided + facts.overdue === 0
      // A replaced key accepts nothing and is well; the one that relays has been asked to hand over, by a hub before this.
      const barred = this.#parts?.config.accepts === true && !this.#accepts()
      const able = this.#pays(seen) && works && gasLeft >= healthyGas && !barred
      return { status: able ? 'ok' : 'unavailable', balanceWei: seen.balanceWei.toString(), ...facts }
    } catch (error) {
      requireRpcFault(error)
      return { status: 'unavailable', balanceWei: null, ...facts }
    }
  }

  /** Sets the alarm again should it be lost while there is work, or should the chain have dropped what is final. */
  async wake(): Promise<void> {
    // Only ever forgotten here: an alarm that runs meanwhile knows better when the next one comes.
    if ((await this.ctx.storage.getAlarm()) === null) this.#alarmAtMs = null
    if (this.#ledger.hasWork() || (await this.#hasDropped())) await this.#arm()
  }

  /** The next page of a backup. */
  async dump(cursor: string | null): Promise<CopyPage> {
    return dumpPage(this.ctx.storage, relayerTables, cursor)
  }

  /** Adds rows of a backup. False if this object is in use. */
  async load(backup: string, rows: CopiedRows): Promise<boolean> {
    return loadRows(this.ctx.storage, relayerTables, backup, rows)
  }

  /** Goes to work after a backup was loaded, and has the database told of everything that it may not know. False if it is in use. */
  async resume(): Promise<boolean> {
    const isFirst = endLoading(this.ctx.storage, relayerTables)
    if (isFirst === null) return false
    if (isFirst) this.#ledger.publishAgain(0)
    await this.#arm()
    return true
  }

  /** Revisions that the database, which was set back, may not know, the newest first. @param since - Unix seconds. */
  async revisionsSince(since: number): Promise<{ id: string; revision: number }[]> {
    return this.#ledger.revisionsSince(since, revisionsMax)
  }

  /** Has the database, which was set back to an earlier moment, told of everything since. @param since - Unix seconds. @returns Of how many. */
  async publishAgain(since: number): Promise<number> {
    const count = this.#ledger.publishAgain(since)
    await this.#arm()
    return count
  }

  async #hasDropped(): Promise<boolean> {
    if (this.#parts === null || this.#ledger.nextNonce() === 0) return false
    try {
      return this.#ledger.finalFrom(await this.#parts.chain.count(), 1).length > 0
    } catch (error) {
      requireRpcFault(error)
      return false
    }
  }

  /** One pass over everything open. It may run early, late or twice: it decides from the ledger and the chain. */
  override async alarm(): Promise<void> {
    this.#alarmAtMs = null
    if (this.#parts === null || this.#passes === null) return
    const { config, publisher } = this.#parts
    let dropped = false
    const newest = await config.newest().catch(() => null)
    try {
      dropped = await this.#passes.ofAlarm(newest)
      await this.submit(this.#overdue(config))
      this.#failedAlarms = 0
    } catch (error) {
      // The next alarm starts over. An alarm that the platform repeats instead would be lost after a few failures.
      if (!isRpcFault(error)) console.error('an alarm of the relayer failed', error)
      this.#failedAlarms += 1
    }
    await publisher.publish()
    this.#ledger.forgetOld(submittedMax)
    const changes = this.#ledger.changes()
    this.#idleAlarms = changes === this.#changesSeen ? this.#idleAlarms + 1 : 0
    this.#changesSeen = changes
    if (!dropped && !this.#ledger.hasWork()) return
    const ticks = Math.min(1 + this.#idleAlarms / 20, idleFactorMax)
    const toBlockMs = newest === null || this.#ledger.hasUnsent() ? 0 : untilNextLook(newest, Date.now())
    await this.#arm(Math.max(ticks, Math.min(toBlockMs, config.stuckMs) / config.tickMs))
  }

  #overdue({ stuckMs }: RelayerConfig): string[] {
    const untilMs = Date.now() - Math.min(stuckMs, messageMsMax)
    return this.#ledger.pending(untilMs, submittedMax).map(({ id }) => id)
  }

  /** Accepts the action unless it is known, and does what follows; those who ask for it meanwhile get the same answer. */
  async #acceptOnce(
    request: RelayRequest,
    afterwards: (id: string, parts: Parts) => Promise<void>,
  ): Promise<RelayResult> {
    const { id } = request
    const running = this.#accepting.get(id)
    if (running) return running
    const known = this.#find(id)
    if (known) return { status: 'accepted', relay: known }
    const run = this.#accept(request)
      .then(async (result) => {
        // An action that another key has accepted is submitted by that key.
        if (result.status !== 'accepted' || this.#parts === null || this.#find(id) === null) return result
        await afterwards(id, this.#parts)
        return { status: 'accepted' as const, relay: this.#find(id) ?? result.relay }
      })
      .finally(() => this.#accepting.delete(id))
    this.#accepting.set(id, run)
    return run
  }

  async #accept(request: RelayRequest): Promise<RelayResult> {
    const { id, serializationKey: key } = request
    if (key === null) return this.#simulateAndStore(request)
    const first = this.#ledger.findUnmined(key)
    if (first !== null && first.nonce !== null) await this.#passes?.ofCaller()
    const ahead = this.#ledger.findUnmined(key)?.id ?? this.#serialized.get(key)
    if (ahead !== undefined) return { status: 'busy', id: ahead }
    this.#serialized.set(key, id)
    try {
      return await this.#simulateAndStore(request)
    } finally {
      this.#serialized.delete(key)
    }
  }

  async #simulateAndStore(request: RelayRequest): Promise<RelayResult> {
    if (this.#parts === null) return { status: 'unavailable', part: 'chain' }
    if (!this.#accepts()) return { status: 'unavailable', part: 'key' }
    const { chain, config } = this.#parts
    const elsewhere = config.findElsewhere(request).catch((error): RelayResult => {
      console.error('actions of other keys could not be read', error)
      return { status: 'unavailable', part: 'records' }
    })
    // No trial run is made for an owner who gets nothing today.
    const early = this.#allowances.exhausted(request, 0, Date.now())
    if (early) return (await elsewhere) ?? { status: 'exhausted', ...early }
    const call = { to: request.to, data: request.data, valueWei: BigInt(request.valueWei) }
    const gasMax = Math.min(request.gasMax ?? relayGasMax, relayGasMax)
    let reading: ChainReading
    let simulated: Awaited<ReturnType<RelayerChain['simulate']>>
    try {
      ;[reading, simulated] = await Promise.all([this.#readings.recent(), chain.simulate(call, gasMax)])
    } catch (error) {
      requireRpcFault(error)
      const poor = error instanceof RpcError && readSendRefusal(error.message) === 'insufficient_funds'
      return { status: 'unavailable', part: poor ? 'balance' : 'chain' }
    }
    const other = await elsewhere
    if (other !== null) return other
    if ('text' in simulated) {
      const { name, args, text: reason } = simulated
      return { status: 'refused', name, args, reason }
    }
    const { gas } = simulated
    const fees = initialFees(reading, this.#feeCap(gas))
    if (fees === null) return { status: 'unavailable', part: 'fees' }

    // Nothing awaits from here to storing the row and the alarm.
    if (!this.#accepts()) return { status: 'unavailable', part: 'key' }
    const nowMs = Date.now()
    const exhausted = this.#allowances.exhausted(request, gas, nowMs)
    if (exhausted) return { status: 'exhausted', ...exhausted }
    const costWei = BigInt(gas) * fees.maxFeeWei + call.valueWei
    if (!this.#readings.commit(reading, costWei)) return { status: 'unavailable', part: 'balance' }
    const relay = this.#ledger.accept({ ...request, ...call, gas, costWei, acceptedAtMs: nowMs })
    this.#allowances.spend(request, gas, nowMs)
    await this.#arm()
    return { status: 'accepted', relay: viewOf(relay) }
  }

  #pays({ balanceWei, ...market }: ChainReading): boolean {
    const fees = initialFees(market, this.#feeCap(Number(healthyGas)))
    return fees !== null && balanceWei >= healthyGas * fees.maxFeeWei
  }

  #feeCap(gas: number): bigint {
    return this.#parts === null ? 0n : feeCapFor(gas, this.#parts.config)
  }

  /** Sees to it that an alarm comes within `factor` ticks; one that comes sooner stays, unless it is long overdue. */
  async #arm(factor = 1): Promise<void> {
    const tickMs = this.#parts?.config.tickMs ?? 1_000
    const nowMs = Date.now()
    const atMs = nowMs + Math.floor(tickMs * factor)
    const dueMs = this.#alarmAtMs ?? Number.POSITIVE_INFINITY
    if (dueMs <= atMs && dueMs > nowMs - overdueTicks * tickMs) return
    this.#alarmAtMs = atMs
    await this.ctx.storage.setAlarm(atMs)
  }
}
