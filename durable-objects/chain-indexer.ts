import { DurableObject } from 'cloudflare:workers'
import { JsonRpc, RpcError, RpcUnreachable } from './chain/json-rpc.ts'
import { IndexerChain } from './indexer/chain.ts'
import { type IndexerSettings, IndexerStepper, type IndexStore } from './indexer/step.ts'

export interface IndexerConfig extends IndexerSettings {
  rpcUrl: string
  timeoutMs: number
  pollMs: number
  store: IndexStore
}

export interface IndexerStatus {
  state: 'starting' | 'ok' | 'suspect' | 'halted' | 'unreachable'
  indexedBlock: number | null
  headBlock: number | null
  /** Seconds since the index last had everything the chain had. */
  lagSecs: number | null
}

/** Ranges one alarm reads at most, so that catching up leaves room for calls. */
const stepsPerAlarm = 20

/**
 * Reads the chain's events into the hub's database: `env.CHAIN_INDEXER.getByName('<chain id>')`. One object per chain,
 * so that one reader writes. It holds no state that matters: the cursor lies beside the events and is written with them,
 * so an alarm that runs twice, or in two copies of this object, writes once.
 */
export class ChainIndexerObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: IndexerConfig | null
  readonly #stepper: IndexerStepper | null
  readonly #bornAtMs = Date.now()
  #caughtUpAtMs: number | null = null
  #status: Omit<IndexerStatus, 'lagSecs'> = { state: 'starting', indexedBlock: null, headBlock: null }

  constructor(ctx: DurableObjectState, env: Env, config: IndexerConfig | null) {
    super(ctx, env)
    this.#config = config
    this.#stepper =
      config &&
      new IndexerStepper(
        new IndexerChain(new JsonRpc(config.rpcUrl, config.timeoutMs), config.topics),
        config.store,
        config,
      )
  }

  /** Begins to read, or goes on after an alarm was lost. */
  async wake(): Promise<void> {
    if (this.#config && (await this.ctx.storage.getAlarm()) === null)
      await this.ctx.storage.setAlarm(Date.now())
  }

  async status(): Promise<IndexerStatus> {
    const lagMs = Date.now() - (this.#caughtUpAtMs ?? this.#bornAtMs)
    return { ...this.#status, lagSecs: Math.floor(lagMs / 1000) }
  }

  override async alarm(): Promise<void> {
    if (this.#config === null || this.#stepper === null) return
    try {
      await this.#advance(this.#stepper)
    } catch (error) {
      // The next alarm asks again: neither the chain nor the database was changed in part.
      this.#status.state = 'unreachable'
      if (!(error instanceof RpcUnreachable || error instanceof RpcError))
        console.error('indexing failed', error)
    }
    await this.ctx.storage.setAlarm(Date.now() + this.#config.pollMs)
  }

  async #advance(stepper: IndexerStepper): Promise<void> {
    for (let steps = 0; steps < stepsPerAlarm; steps++) {
      const { outcome, head, indexed } = await stepper.step()
      const state = outcome === 'suspect' || outcome === 'halted' ? outcome : 'ok'
      this.#status = { state, indexedBlock: indexed, headBlock: head }
      if (state !== 'ok') return
      if (indexed >= head && outcome !== 'rolled_back') {
        this.#caughtUpAtMs = Date.now()
        return
      }
    }
  }
}
