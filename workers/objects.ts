import { DurableObject } from 'cloudflare:workers'
import type { ChainIndexerObject, IndexerStatus } from '../durable-objects/chain-indexer.ts'
import type { DirectOrderObject } from '../durable-objects/direct-order.ts'
import { GenerationKeeperObject } from '../durable-objects/generation-keeper.ts'
import type {
  LinkOffer,
  LinkStatus,
  OfferResult,
  VoteBody,
  VoteResult,
} from '../durable-objects/node-link/types.ts'
import type { NodeLinkObject } from '../durable-objects/node-link.ts'
import { type CommitteesConfig, ProjectCommitteesObject } from '../durable-objects/project-committees.ts'
import type {
  RelayerHealth,
  RelayerObject,
  RelayRequest,
  RelayResult,
  RelayView,
} from '../durable-objects/relayer.ts'
import type { DirectOutcome, DirectRequest } from '../durable-objects/round/direct.ts'
import type { RoundTerms, RoundWaiting } from '../durable-objects/round/round.ts'
import type { Awaited, RoundObject } from '../durable-objects/round.ts'
import type { DeclineReason } from '../protocol/relay/index.ts'
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

export class NodeLink extends DurableObject<Env> implements Omit<NodeLinkObject, keyof DurableObject> {
  readonly #object: Promise<NodeLinkObject<Env>>

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#object = ctx.blockConcurrencyWhile(async () => {
      const { createNodeLink } = await import('./links/node-link-object.ts')
      return createNodeLink(ctx, env)
    })
  }

  async offer(offer: LinkOffer, snapshotAt: number | null = null): Promise<OfferResult> {
    return (await this.#object).offer(offer, snapshotAt)
  }

  async cancel(offerId: string, reason: string): Promise<void> {
    return (await this.#object).cancel(offerId, reason)
  }

  async invalidVote(): Promise<void> {
    return (await this.#object).invalidVote()
  }

  async refresh(): Promise<void> {
    return (await this.#object).refresh()
  }

  async wasHeard(offerId: string): Promise<boolean> {
    return (await this.#object).wasHeard(offerId)
  }

  async status(): Promise<LinkStatus> {
    return (await this.#object).status()
  }

  override async fetch(request: Request): Promise<Response> {
    return (await this.#object).fetch(request)
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    return (await this.#object).webSocketMessage(socket, message)
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    return (await this.#object).webSocketClose(socket, code)
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    return (await this.#object).webSocketError(socket)
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

export class GenerationKeeper extends GenerationKeeperObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, {
      gather: async () => {
        const { gatherSignatures } = await import('./validators/gather-signatures.ts')
        return gatherSignatures(services(env), readSettings(env))
      },
    })
  }
}

export class Round extends DurableObject<Env> implements Omit<RoundObject, keyof DurableObject> {
  #object: Promise<RoundObject<Env>> | undefined

  async start(terms: RoundTerms): Promise<void> {
    return (await this.#load()).start(terms)
  }

  async execute(request: DirectRequest): Promise<DirectOutcome> {
    return (await this.#load()).execute(request)
  }

  async accepted(offerId: string, nodeKey: string): Promise<void> {
    return (await this.#load()).accepted(offerId, nodeKey)
  }

  async declined(offerId: string, nodeKey: string, reason: DeclineReason, isExcused: boolean): Promise<void> {
    return (await this.#load()).declined(offerId, nodeKey, reason, isExcused)
  }

  async voted(offerId: string, nodeKey: string, body: VoteBody): Promise<VoteResult> {
    return (await this.#load()).voted(offerId, nodeKey, body)
  }

  async wait(awaited: Awaited, ms: number): Promise<'reached' | 'pending' | 'gone'> {
    return (await this.#load()).wait(awaited, ms)
  }

  async waitingFor(): Promise<RoundWaiting | null> {
    return (await this.#load()).waitingFor()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    return (await this.#load()).alarm(info)
  }

  /** Rounds begin by the dozen, and nothing is read before this: no event has to be held back while the code is loaded. */
  #load(): Promise<RoundObject<Env>> {
    this.#object ??= import('./rounds/round-object.ts').then(
      ({ createRound }) => createRound(this.ctx, this.env),
      (error: unknown) => {
        this.#object = undefined
        throw error
      },
    )
    return this.#object
  }
}

export class DirectOrder extends DurableObject<Env> implements Omit<DirectOrderObject, keyof DurableObject> {
  readonly #object: Promise<DirectOrderObject<Env>>

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#object = ctx.blockConcurrencyWhile(async () => {
      const { createDirectOrder } = await import('./rounds/direct-order-object.ts')
      return createDirectOrder(ctx, env)
    })
  }

  async execute(request: DirectRequest): Promise<DirectOutcome> {
    return (await this.#object).execute(request)
  }
}

function committeesConfig(env: Env): CommitteesConfig | null {
  const settings = readSettings(env)
  if (!settings.CHAIN_RPC_URL || !settings.CHAIN_CONTRACTS) return null
  return {
    pollMs: settings.CLOCK === 'chain' ? settings.CHAIN_POLL_MS : null,
    advance: async (projectId) => {
      const { ProjectSets } = await import('./committees/project-sets.ts')
      return new ProjectSets(services(env), settings).advance(projectId)
    },
    now: () => services(env).clock.now(),
    runningEpoch: async (projectId, now) => {
      const { findRunningEpoch } = await import('./rounds/running-epoch.ts')
      return findRunningEpoch(services(env), projectId, now)
    },
    startRound: (terms) => env.ROUND.getByName(terms.roundId).start(terms),
    noteQueued: (projectId, { taskId, function: name, gasLimit, inputHash }, createdAt) =>
      services(env).tasks.queue([{ taskId, projectId, function: name, gasLimit, inputHash, createdAt }]),
    noteExpired: (taskIds) => services(env).tasks.fail(taskIds, 'no_attested_snapshot'),
  }
}
