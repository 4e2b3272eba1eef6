import { DurableObject } from 'cloudflare:workers'
import type { Block } from '../../protocol/committees/index.ts'
import { JsonRpc, RpcError, RpcUnreachable } from '../chain/json-rpc.ts'
import type { RpcMemory } from '../chain/request-size.ts'
import { IndexerChain } from './chain.ts'
import type { BlockRef, IndexStore } from './index-store.ts'
import type { NewestBlocks } from './newest-blocks.ts'
import { nextPoll } from './poll-times.ts'
import { type IndexerSettings, IndexerStepper } from './step.ts'

export interface IndexerConfig extends IndexerSettings {
  rpcUrl: string
  timeoutMs: number
  /** How old the last final block may be before the chain counts as one that does not finalise; null for chains that need not. */
  finalAgeSecsMax: number | null
  store: IndexStore
  /** Seeks the block of a beacon, and keeps it; null while it is not final. */
  seekBeacon(epochSecs: number, epoch: number): Promise<BlockRef | null>
}

export interface IndexerStatus {
  state: 'starting' | 'ok' | 'suspect' | 'halted' | 'unreachable'
  indexedBlock: number | null
  headBlock: number | null
  finalBlock: number | null
  /** Whether new blocks become final in time, so that records about them may be signed; null before the first look. */
  isFinalizing: boolean | null
  /** Seconds since the index last had all blocks of the chain. */
  lagSecs: number | null
  /** It does not follow the chain, or cannot know whether it does. */
  stands: boolean
  /** How often a node gave other logs of the same blocks than before; null before the first look. */
  logDifferences: number | null
  /** Why reading has stopped, and what an operator can do; null while it goes on. */
  halted: string | null
}

/** State that is stored, since the object may end between two looks at the chain. */
interface Seen {
  status: Pick<IndexerStatus, 'state' | 'indexedBlock' | 'headBlock' | 'halted' | 'logDifferences'>
  final: IndexerStepper['final']
  caughtUpAtMs: number | null
  fruitless: number
  blocks: readonly Block[]
  nextPollMs: number
}

/** Alarms in a row that get nowhere before the index stands: a single one is what a new block in between explains. */
const fruitlessMax = 2
/** An alarm that is overdue by this many polls is lost. */
const overduePolls = 10
/** The time that a look at the chain may take, including the trip to the database. */
const wakingMs = 2_000
/** Ranges one alarm reads at most, so that catching up leaves room for calls. */
const stepsPerAlarm = 20

/**
 * Reads the chain's events into the hub's database: `env.CHAIN_INDEXER.getByName('<chain id>')`, one object and so one writer per chain.
 * The cursor lies beside the events and is written with them, so an alarm that runs twice, or in two copies of the object, writes once.
 */
export class ChainIndexerObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: IndexerConfig | null
  readonly #stepper: IndexerStepper | null
  readonly #bornAtMs = Date.now()
  #seen: Seen
  readonly #seeking = new Map<string, Promise<BlockRef | null | 'unavailable'>>()

  constructor(ctx: DurableObjectState, env: Env, config: IndexerConfig | null) {
    super(ctx, env)
    this.#config = config
    this.#seen = ctx.storage.kv.get<Seen>('seen') ?? nothingSeen
    this.#stepper = config && stepperOf(config, ctx.storage.kv)
  }

  /** Begins to read, or goes on after an alarm was lost. */
  async wake(): Promise<void> {
    if (this.#config === null) return
    const dueMs = (await this.ctx.storage.getAlarm()) ?? 0
    if (dueMs < Date.now() - overduePolls * this.#config.blockMs) await this.ctx.storage.setAlarm(Date.now())
  }

  async status(): Promise<IndexerStatus> {
    const { status, caughtUpAtMs, fruitless } = this.#seen
    const hasLooked = this.#seen.final !== null || status.indexedBlock !== null
    const lagMs = Date.now() - (caughtUpAtMs ?? this.#bornAtMs)
    return {
      ...status,
      finalBlock: this.#seen.final?.number ?? null,
      isFinalizing: hasLooked ? this.#isFinalizing() : null,
      lagSecs: Math.floor(lagMs / 1000),
      stands: fruitless >= fruitlessMax,
    }
  }

  async newest(): Promise<NewestBlocks> {
    const { status, blocks, nextPollMs } = this.#seen
    const blockMs = this.#config?.blockMs ?? 0
    const isCurrent = status.state === 'ok' && status.indexedBlock === status.headBlock
    const isAwake = Date.now() < nextPollMs + blockMs + wakingMs
    return {
      blocks: isCurrent && isAwake ? blocks : [],
      nextPollMs,
      isFinalizing: this.#isFinalizing(),
    }
  }

  /** The block of a beacon, which one search finds for all that ask meanwhile; null while it is not final. */
  async beacon(epochSecs: number, epoch: number): Promise<BlockRef | null | 'unavailable'> {
    const name = `${epochSecs} ${epoch}`
    const sought = this.#seeking.get(name) ?? this.#seek(epochSecs, epoch)
    this.#seeking.set(name, sought)
    const found = await sought
    this.#seeking.delete(name)
    return found
  }

  async #seek(epochSecs: number, epoch: number): Promise<BlockRef | null | 'unavailable'> {
    try {
      return (await this.#config?.seekBeacon(epochSecs, epoch)) ?? null
    } catch (error) {
      console.error(`the beacon of epoch ${epoch} of ${epochSecs} s could not be sought`, error)
      return 'unavailable'
    }
  }

  #isFinalizing(): boolean {
    const most = this.#config?.finalAgeSecsMax ?? null
    return most === null || (this.#seen.final?.ageSecs ?? Infinity) <= most
  }

  override async alarm(): Promise<void> {
    if (this.#config === null || this.#stepper === null) return
    const { blockMs } = this.#config
    const before = this.#seen
    let seen: Seen
    try {
      const moved = await this.#advance(this.#stepper)
      seen = { ...this.#seen, fruitless: moved ? 0 : before.fruitless + 1 }
    } catch (error) {
      // The next alarm asks again: neither the chain nor the database was changed in part.
      const headBlock = this.#stepper.head ?? before.status.headBlock
      const status = { ...this.#seen.status, state: 'unreachable', headBlock, halted: null } as const
      seen = { ...this.#seen, status, fruitless: before.fruitless + 1 }
      if (!(error instanceof RpcUnreachable || error instanceof RpcError))
        console.error('indexing failed', error)
    }
    const newest = seen.blocks.at(-1) ?? null
    const isNew = newest?.hash !== before.blocks.at(-1)?.hash
    const nextPollMs = nextPoll(Date.now(), blockMs, newest, isNew)
    this.#seen = { ...seen, nextPollMs }
    this.ctx.storage.kv.put('seen', this.#seen)
    await this.ctx.storage.setAlarm(nextPollMs)
  }

  /** Whether the index moved, or has everything the chain has. */
  async #advance(stepper: IndexerStepper): Promise<boolean> {
    for (let steps = 0; steps < stepsPerAlarm; steps++) {
      const { outcome, indexed: indexedBlock, halted } = await stepper.step()
      const state = outcome === 'suspect' || outcome === 'halted' ? outcome : 'ok'
      const { head: headBlock, logDifferences, recent: blocks, final } = stepper
      this.#seen = {
        ...this.#seen,
        status: { state, indexedBlock, halted, headBlock, logDifferences },
        blocks,
        final: final ?? this.#seen.final,
      }
      if (state !== 'ok') return steps > 0
      if (outcome === 'idle' || (outcome === 'advanced' && indexedBlock === headBlock)) {
        this.#seen = { ...this.#seen, caughtUpAtMs: Date.now() }
        return true
      }
    }
    return true
  }
}

const nothingSeen: Seen = {
  status: { state: 'starting', indexedBlock: null, headBlock: null, halted: null, logDifferences: null },
  final: null,
  caughtUpAtMs: null,
  fruitless: 0,
  blocks: [],
  nextPollMs: 0,
}

function stepperOf(config: IndexerConfig, memory: RpcMemory): IndexerStepper {
  const rpc = new JsonRpc(config.rpcUrl, config.timeoutMs, config.chainId, { isPatient: true, memory })
  return new IndexerStepper(new IndexerChain(rpc, config.topics), config.store, config, memory)
}
