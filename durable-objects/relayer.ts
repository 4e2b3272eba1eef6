import { DurableObject } from 'cloudflare:workers'
import { JsonRpc, RpcError, RpcUnreachable } from './chain/json-rpc.ts'
import { type Admission, Admissions } from './relayer/admissions.ts'
import { type ChainView, RelayerChain } from './relayer/chain-view.ts'
import { type Fees, firstFees } from './relayer/fees.ts'
import { ledgerMigrations, type Relay, RelayLedger } from './relayer/ledger.ts'
import { RelayRounds } from './relayer/rounds.ts'
import { readSendRefusal } from './relayer/send-errors.ts'
import { TransactionSigner } from './relayer/signer.ts'
import type { RelayerHealth, RelayerParts, RelayRequest, RelayResult, RelayView } from './relayer/types.ts'
import { admissionViewOf, viewOf } from './relayer/view.ts'
import { migrate } from './sql-migrations.ts'

export type * from './relayer/types.ts'

/** How long a look at the chain serves the decision whether to take an action. */
const viewLifetimeMs = 1_000
/** Ticks that failed in a row after which the relayer calls itself unavailable. */
const failedTicksMax = 3
/** Rounds that change nothing come more and more rarely, down to this many ticks apart. */
const idleFactorMax = 10
/** Actions whose states are copied in one statement. */
const copiedMax = 100
/** Messages that queues take at once. */
const messagesMax = 100
/** Admitted actions the alarm carries in one round. */
const carriedMax = 100
/** An admitted action whose message has not come for so long is carried without it. */
const messageMsMax = 5_000
/**
 * Gas an action may take unless it says otherwise. With the room it is given it stays below what chains allow a transaction
 * (EIP-7825: 2^24), and the largest batch of claims takes half of it.
 */
const relayGasMax = 12_000_000
/** Gas the balance must pay for: a few of the usual actions. */
const healthyGas = 1_000_000n

/**
 * Owns the nonces of one key on one chain: `env.RELAYER.getByName('<chain id>:<key address>')`. Nothing else may sign
 * with that key.
 *
 * An action is simulated first, and nothing is taken for one that would revert. Admitted, it waits for its turn; then it
 * gets its nonce, is signed and stored, and only then sent. From there on alarms bring it into a final block, however
 * often the chain, this object or a network between them fails: the same bytes again, or the same nonce with higher
 * fees, and never another nonce.
 */
export class RelayerObject<Env = unknown> extends DurableObject<Env> {
  readonly #parts: RelayerParts | null
  readonly #ledger: RelayLedger
  readonly #admissions: Admissions
  readonly #running = new Map<string, Promise<RelayResult>>()
  readonly #lanes = new Map<string, string>()
  /** Admitted actions no message was sent about; lost with the object, for a round makes up for them. */
  readonly #toEnqueue: string[] = []
  #rounds: RelayRounds | null = null
  #chain: RelayerChain | null = null
  #signer: TransactionSigner | null = null
  #view: { read: Promise<ChainView>; readAtMs: number; committedWei: bigint } | null = null
  #runningShow: Promise<void> | null = null
  #nextShow: Promise<void> | null = null
  #alarmAtMs: number | null = null
  #failedTicks = 0
  #idleRounds = 0
  #changesSeen = -1

  constructor(ctx: DurableObjectState, env: Env, parts: RelayerParts | null) {
    super(ctx, env)
    this.#parts = parts
    this.#ledger = new RelayLedger(ctx.storage)
    this.#admissions = new Admissions(ctx.storage)
    if (parts) {
      this.#signer = new TransactionSigner(parts.privateKey, parts.chainId)
      this.#chain = new RelayerChain(
        new JsonRpc(parts.rpcUrl, parts.timeoutMs),
        this.#signer.address,
        parts.chainId,
        parts.errors,
      )
      this.#rounds = new RelayRounds(this.#ledger, this.#chain, this.#signer, parts)
    }
    void ctx.blockConcurrencyWhile(async () => {
      migrate(ctx.storage, ledgerMigrations)
      this.#alarmAtMs = await ctx.storage.getAlarm()
    })
  }

  /**
   * Takes an action that would succeed now, for the queue to carry, or answers as before when it was taken already: one
   * id is one transaction, ever.
   */
  async admit(request: RelayRequest): Promise<RelayResult> {
    return this.#once(request, async (id, parts) => {
      this.#toEnqueue.push(id)
      // Whoever is told that it was taken may read where it is at once.
      await this.#show(parts)
    })
  }

  /** Takes an action as {@link admit} does, and carries it at once. */
  async relay(request: RelayRequest): Promise<RelayResult> {
    return this.#once(request, async (id, parts) => {
      await this.carry([id])
      await this.#show(parts)
    })
  }

  /**
   * Gives admitted actions their nonces and sends them. Ids of others are passed over, so that any call may be repeated.
   * While the chain does not answer, or asks for too high fees, they wait for a round.
   */
  async carry(ids: readonly string[]): Promise<void> {
    const find = () => [...new Set(ids)].flatMap((id) => this.#admissions.find(id) ?? [])
    if (find().length === 0 || this.#parts === null || this.#rounds === null) return
    let view: ChainView
    try {
      view = await this.#look()
    } catch (error) {
      return requireRpcFault(error)
    }
    const fees = this.#firstFees(view)
    if (fees === null) return

    // Nothing awaits from reading the next nonce to storing the last row and the alarm.
    const relays = find().map((admission) => this.#allocate(admission, view))
    const armed = this.#arm()
    await this.#rounds.begin(relays, fees, Date.now())
    await armed
    await this.#show(this.#parts)
  }

  #allocate(admission: Admission, { count }: ChainView): Relay {
    const relay = this.#ledger.insert(admission, count, Math.floor(admission.admittedAtMs / 1000))
    this.#admissions.remove(admission.id)
    return relay
  }

  async find(id: string): Promise<RelayView | null> {
    return this.#find(id)
  }

  #find(id: string): RelayView | null {
    const relay = this.#ledger.find(id)
    if (relay) return viewOf(relay)
    const admission = this.#admissions.find(id)
    return admission && admissionViewOf(admission)
  }

  async health(): Promise<RelayerHealth> {
    const [oldest] = this.#ledger.open(1)
    const [waiting] = this.#admissions.until(Date.now(), 1)
    const oldestOpenAt = Math.min(
      oldest?.createdAt ?? Number.POSITIVE_INFINITY,
      waiting ? admissionViewOf(waiting).createdAt : Number.POSITIVE_INFINITY,
    )
    const facts = {
      signer: this.#signer?.address ?? null,
      open: this.#ledger.countOpen() + this.#admissions.count(),
      oldestOpenAt: Number.isFinite(oldestOpenAt) ? oldestOpenAt : null,
      nextNonce: this.#ledger.nextNonce(),
    }
    try {
      const { balanceWei, baseFeeWei, tipWei } = await this.#look()
      const fees = this.#firstFees({ baseFeeWei, tipWei })
      const pays = fees !== null && balanceWei >= healthyGas * fees.maxFeeWei
      const able = pays && this.#failedTicks < failedTicksMax
      return { status: able ? 'ok' : 'unavailable', balanceWei: balanceWei.toString(), ...facts }
    } catch (error) {
      requireRpcFault(error)
      return { status: 'unavailable', balanceWei: null, ...facts }
    }
  }

  /** Sets the alarm again should it be lost while actions are open. */
  async wake(): Promise<void> {
    this.#alarmAtMs = await this.ctx.storage.getAlarm()
    if (this.#hasWork()) await this.#arm()
  }

  /** One round over everything open. It may run early, late or twice: it decides from the ledger and the chain. */
  override async alarm(): Promise<void> {
    this.#alarmAtMs = null
    if (this.#parts === null || this.#rounds === null) return
    try {
      if (this.#ledger.countOpen() > 0) await this.#rounds.run(await this.#lookAgain(), Date.now())
      await this.carry(this.#forgotten(this.#parts))
      this.#failedTicks = 0
    } catch (error) {
      // The next round begins anew. One that the platform repeats instead would be lost after a few failures.
      if (!isRpcFault(error)) console.error('a round of the relayer failed', error)
      this.#failedTicks += 1
    }
    await this.#show(this.#parts)
    const changes = this.#ledger.changes()
    this.#idleRounds = changes === this.#changesSeen ? this.#idleRounds + 1 : 0
    this.#changesSeen = changes
    if (this.#hasWork()) await this.#arm(Math.min(1 + this.#idleRounds / 20, idleFactorMax))
  }

  /** Admitted actions whose message should have come by now. */
  #forgotten({ stuckMs }: RelayerParts): string[] {
    const untilMs = Date.now() - Math.min(stuckMs, messageMsMax)
    return this.#admissions.until(untilMs, carriedMax).map(({ id }) => id)
  }

  #hasWork(): boolean {
    return this.#ledger.hasWork() || this.#admissions.count() > 0
  }

  /** Takes the action unless it is known, and hands it over; those who ask for it meanwhile get the same answer. */
  async #once(
    request: RelayRequest,
    handOver: (id: string, parts: RelayerParts) => Promise<void>,
  ): Promise<RelayResult> {
    const { id } = request
    const running = this.#running.get(id)
    if (running) return running
    const known = this.#find(id)
    if (known) return { status: 'accepted', relay: known }
    const run = this.#take(request)
      .then(async (result) => {
        if (result.status !== 'accepted' || this.#parts === null) return result
        await handOver(id, this.#parts)
        return { status: 'accepted' as const, relay: this.#find(id) ?? result.relay }
      })
      .finally(() => this.#running.delete(id))
    this.#running.set(id, run)
    return run
  }

  async #take(request: RelayRequest): Promise<RelayResult> {
    const { id, lane } = request
    if (lane === null) return this.#simulateAndTake(request)
    const ahead = this.#ledger.inLane(lane)?.id ?? this.#admissions.inLane(lane)?.id ?? this.#lanes.get(lane)
    if (ahead !== undefined) return { status: 'busy', id: ahead }
    this.#lanes.set(lane, id)
    try {
      return await this.#simulateAndTake(request)
    } finally {
      this.#lanes.delete(lane)
    }
  }

  async #simulateAndTake(request: RelayRequest): Promise<RelayResult> {
    const chain = this.#chain
    if (chain === null) return { status: 'unavailable', part: 'chain' }
    const call = { to: request.to, data: request.data, valueWei: BigInt(request.valueWei) }
    const gasMax = Math.min(request.gasMax ?? relayGasMax, relayGasMax)
    let view: ChainView
    let simulated: Awaited<ReturnType<RelayerChain['simulate']>>
    try {
      ;[view, simulated] = await Promise.all([this.#look(), chain.simulate(call, gasMax)])
    } catch (error) {
      requireRpcFault(error)
      const poor = error instanceof RpcError && readSendRefusal(error.message) === 'funds'
      return { status: 'unavailable', part: poor ? 'balance' : 'chain' }
    }
    if ('text' in simulated) {
      const { name, args, text: reason } = simulated
      return { status: 'refused', name, args, reason }
    }
    const fees = this.#firstFees(view)
    if (fees === null) return { status: 'unavailable', part: 'fees' }
    const costWei = BigInt(simulated.gas) * fees.maxFeeWei + call.valueWei
    const committedWei = this.#view?.committedWei ?? 0n
    if (view.balanceWei < committedWei + costWei) return { status: 'unavailable', part: 'balance' }

    // Nothing awaits from the look at what is committed to storing the row and the alarm.
    if (this.#view) this.#view.committedWei += costWei
    const admission = { ...request, ...call, gas: simulated.gas, costWei, admittedAtMs: Date.now() }
    this.#admissions.add(admission)
    await this.#arm()
    return { status: 'accepted', relay: admissionViewOf(admission) }
  }

  #firstFees(market: Pick<ChainView, 'baseFeeWei' | 'tipWei'>): Fees | null {
    return firstFees(market, this.#parts?.feeCapWei ?? 0n)
  }

  #look(): Promise<ChainView> {
    const fresh = this.#view && Date.now() - this.#view.readAtMs < viewLifetimeMs
    return fresh && this.#view ? this.#view.read : this.#lookAgain()
  }

  #lookAgain(): Promise<ChainView> {
    if (this.#chain === null) return Promise.reject(new RpcUnreachable('no chain is configured'))
    const view = {
      read: this.#chain.view(),
      readAtMs: Date.now(),
      committedWei: this.#ledger.committedWei() + this.#admissions.committedWei(),
    }
    this.#view = view
    // A failed look serves nobody else.
    view.read.catch(() => {
      if (this.#view === view) this.#view = null
    })
    return view.read
  }

  /**
   * Copies what has changed by now into the hub's database, and sends the messages about what was admitted. Those who
   * come while that is done share the next time.
   */
  #show(parts: RelayerParts): Promise<void> {
    this.#nextShow ??= (this.#runningShow ?? Promise.resolve()).then(() => {
      this.#nextShow = null
      this.#runningShow = Promise.all([this.#copy(parts), this.#enqueue(parts)]).then(() => {})
      return this.#runningShow
    })
    return this.#nextShow
  }

  async #enqueue({ enqueue }: RelayerParts): Promise<void> {
    while (this.#toEnqueue.length > 0) {
      try {
        await enqueue(this.#toEnqueue.splice(0, messagesMax))
      } catch (error) {
        console.error('messages about admitted actions could not be sent', error)
      }
    }
  }

  /** A copy that fails is made in a later round. */
  async #copy({ show }: RelayerParts): Promise<void> {
    let relays: Relay[]
    let admissions: Admission[]
    do {
      relays = this.#ledger.toShow(copiedMax)
      admissions = this.#admissions.toShow(copiedMax)
      if (relays.length + admissions.length === 0) return
      try {
        await show([...admissions.map(admissionViewOf), ...relays.map(viewOf)])
      } catch (error) {
        console.error('the states of relayed actions could not be copied', error)
        return
      }
      this.#admissions.shown(admissions.map(({ id }) => id))
      this.#ledger.shown(relays)
    } while (relays.length === copiedMax || admissions.length === copiedMax)
  }

  /** Sees to it that a round comes within `factor` ticks; one that comes sooner stays. */
  async #arm(factor = 1): Promise<void> {
    const atMs = Date.now() + Math.floor((this.#parts?.tickMs ?? 1_000) * factor)
    if (this.#alarmAtMs !== null && this.#alarmAtMs <= atMs) return
    this.#alarmAtMs = atMs
    await this.ctx.storage.setAlarm(atMs)
  }
}

const isRpcFault = (error: unknown): boolean => error instanceof RpcUnreachable || error instanceof RpcError

function requireRpcFault(error: unknown): void {
  if (!isRpcFault(error)) throw error
}
