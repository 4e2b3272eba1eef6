import { DurableObject } from 'cloudflare:workers'
import type { ChainIndexerObject, IndexerStatus } from '../durable-objects/chain-indexer.ts'
import { type CommitteesConfig, ProjectCommitteesObject } from '../durable-objects/project-committees.ts'
import type {
  RelayerHealth,
  RelayerObject,
  RelayRequest,
  RelayResult,
  RelayView,
} from '../durable-objects/relayer.ts'
import { type Env, readSettings } from './env.ts'
import { services } from './services.ts'

/**
 * The Durable Objects that need more than their storage, joined with what this hub gives them. The code of the large ones is
 * loaded when an object is made, and nothing reaches it before: what answers requests starts without it.
 */

export class Relayer extends DurableObject<Env> implements Omit<RelayerObject, keyof DurableObject> {
  readonly #object: Promise<RelayerObject<Env>>

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#object = ctx.blockConcurrencyWhile(async () => {
      const { createRelayer } = await import('./relay/relayer-object.ts')
      return createRelayer(ctx, env)
    })
  }

  async accept(request: RelayRequest): Promise<RelayResult> {
    return (await this.#object).accept(request)
  }

  async relay(request: RelayRequest): Promise<RelayResult> {
    return (await this.#object).relay(request)
  }

  async submit(ids: readonly string[]): Promise<void> {
    return (await this.#object).submit(ids)
  }

  async find(id: string): Promise<RelayView | null> {
    return (await this.#object).find(id)
  }

  async handOver(request: Pick<RelayRequest, 'id' | 'serializationKey'>): Promise<RelayResult | null> {
    return (await this.#object).handOver(request)
  }

  async health(): Promise<RelayerHealth> {
    return (await this.#object).health()
  }

  async wake(): Promise<void> {
    return (await this.#object).wake()
  }

  override async alarm(): Promise<void> {
    return (await this.#object).alarm()
  }
}

export class ChainIndexer
  extends DurableObject<Env>
  implements Omit<ChainIndexerObject, keyof DurableObject>
{
  readonly #object: Promise<ChainIndexerObject<Env>>

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#object = ctx.blockConcurrencyWhile(async () => {
      const { createIndexer } = await import('./chain/indexer-object.ts')
      return createIndexer(ctx, env)
    })
  }

  async wake(): Promise<void> {
    return (await this.#object).wake()
  }

  async status(): Promise<IndexerStatus> {
    return (await this.#object).status()
  }

  override async alarm(): Promise<void> {
    return (await this.#object).alarm()
  }
}

export class ProjectCommittees extends ProjectCommitteesObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, committeesConfig(env))
  }
}

function committeesConfig(env: Env): CommitteesConfig | null {
  const settings = readSettings(env)
  if (!settings.CHAIN_RPC_URL || !settings.CHAIN_CONTRACTS) return null
  return {
    leapingTime:
      settings.CLOCK === 'chain'
        ? { pollMs: settings.CHAIN_POLL_MS, now: () => services(env).clock.now() }
        : null,
    advance: async (projectId) => {
      const { ProjectSets } = await import('./committees/project-sets.ts')
      return new ProjectSets(services(env), settings).advance(projectId)
    },
  }
}
