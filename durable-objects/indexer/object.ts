import { DurableObject } from 'cloudflare:workers'
import { JsonRpc, RpcError, RpcUnreachable } from '../chain/json-rpc.ts'
import { IndexerChain } from './chain.ts'
import type { IndexStore } from './index-store.ts'
import { type IndexerSettings, IndexerStepper } from './step.ts'

export interface IndexerConfig extends IndexerSettings {
  /** Addresses of nodes, comma separated. */
  rpcUrl: string
  timeoutMs: number
  pollMs: number
  store: IndexStore
}

export interface IndexerStatus {
  state: 'starting' | 'ok' | 'suspect' | 'halted' | 'unreachable'
  indexedBlock: number | null
  headBlock: number | null
  /** Seconds since the index last had all blocks of the chain. */
  lagSecs: number | null
  /** It does not follow the chain, or cannot know whether it does. */
  stands: boolean
  /** How often a node gave other logs of the same blocks than before; null before the first look. */
  logDifferences: number | null
  /** Why reading has stopped, and what an operator can do; null while it goes on. */
  halted: string | null
}

/** Alarms in a row that get nowhere before the index stands: a single one is what a new block in between explains. */
const fruitlessMax = 2
/** An alarm that has not come for so many polls is lost. */
const overduePolls = 10
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
  #caughtUpAtMs: number | null = null
  #fruitless = 0
  #status: Pick<IndexerStatus, 'state' | 'indexedBlock' | 'halted'> = {
    state: 'starting',
    indexedBlock: null,
    halted: null,
  }

  constructor(ctx: DurableObjectState, env: Env, config: IndexerConfig | null) {
    super(ctx, env)
    this.#config = config
    this.#stepper =
      config &&
      new IndexerStepper(
        new IndexerChain(new JsonRpc(config.rpcUrl, config.timeoutMs, config.chainId, true), config.topics),
        config.store,
        config,
      )
  }

  /** Begins to read, or goes on after an alarm was lost. */
  async wake(): Promise<void> {
    if (this.#config === null) return
    const dueMs = (await this.ctx.storage.getAlarm()) ?? 0
    if (dueMs < Date.now() - overduePolls * this.#config.pollMs) await this.ctx.storage.setAlarm(Date.now())
  }

  async status(): Promise<IndexerStatus> {
    const lagMs = Date.now() - (this.#caughtUpAtMs ?? this.#bornAtMs)
    return {
      ...this.#status,
      headBlock: this.#stepper?.head ?? null,
      lagSecs: Math.floor(lagMs / 1000),
      logDifferences: this.#stepper?.logDifferences ?? null,
      stands: this.#fruitless >= fruitlessMax,
    }
  }

  override async alarm(): Promise<void> {
    if (this.#config === null || this.#stepper === null) return
    try {
      this.#fruitless = (await this.#advance(this.#stepper)) ? 0 : this.#fruitless + 1
    } catch (error) {
      // The next alarm asks again: neither the chain nor the database was changed in part.
      this.#fruitless += 1
      this.#status = { ...this.#status, state: 'unreachable', halted: null }
      if (!(error instanceof RpcUnreachable || error instanceof RpcError))
        console.error('indexing failed', error)
    }
    await this.ctx.storage.setAlarm(Date.now() + this.#config.pollMs)
  }

  /** Whether the index moved, or has everything the chain has. */
  async #advance(stepper: IndexerStepper): Promise<boolean> {
    for (let steps = 0; steps < stepsPerAlarm; steps++) {
      const { outcome, indexed, halted } = await stepper.step()
      const state = outcome === 'suspect' || outcome === 'halted' ? outcome : 'ok'
      this.#status = { state, indexedBlock: indexed, halted }
      if (state !== 'ok') return steps > 0
      if (outcome === 'idle' || (outcome === 'advanced' && indexed === stepper.head)) {
        this.#caughtUpAtMs = Date.now()
        return true
      }
    }
    return true
  }
}
