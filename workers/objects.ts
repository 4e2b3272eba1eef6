import type { ArchivistObject } from '../durable-objects/archivist/object.ts'
import type { DirectOrderObject } from '../durable-objects/direct-order/object.ts'
import type { EventFeedObject } from '../durable-objects/events/object.ts'
import type { ChainIndexerObject } from '../durable-objects/indexer/object.ts'
import type { NodeLinkObject } from '../durable-objects/link/object.ts'
import { type CommitteesConfig, ProjectCommitteesObject } from '../durable-objects/project/object.ts'
import type { RelayerObject } from '../durable-objects/relayer/object.ts'
import { RepeatingObject } from '../durable-objects/repeating-object.ts'
import type { RoundObject } from '../durable-objects/round/object.ts'
import { type Env, readSettings } from './env.ts'
import { loadedObject } from './loaded-object.ts'
import { createRoundsClient } from './rounds/client.ts'
import { services } from './services.ts'
import type { PublishedRound, WrittenRound } from './stores/rounds.ts'

/** The Durable Objects that need more than their storage, joined with the settings and stores of this hub. */

export class Relayer extends loadedObject<RelayerObject<Env>>({
  load: async (ctx, env) => (await import('./relayer/object.ts')).createRelayer(ctx, env),
  methods: {
    ...{ accept: true, relay: true, submit: true, find: true, handOver: true, health: true, wake: true },
    ...{ dump: true, load: true, resume: true, publishAgain: true, revisionsSince: true },
  },
  events: ['alarm'],
}) {}

export class ChainIndexer extends loadedObject<ChainIndexerObject<Env>>({
  load: async (ctx, env) => (await import('./chain/indexer-object.ts')).createIndexer(ctx, env),
  methods: { wake: true, status: true, newest: true, beacon: true },
  events: ['alarm'],
}) {}

export class NodeLink extends loadedObject<NodeLinkObject<Env>>({
  load: async (ctx, env) => (await import('./link/object.ts')).createNodeLink(ctx, env),
  methods: {
    ...{ offer: true, cancel: true, invalidVote: true, refresh: true, wasHeard: true, status: true },
    decide: true,
    tellFinality: true,
    attest: true,
  },
  events: ['fetch', 'webSocketMessage', 'webSocketClose', 'webSocketError', 'alarm'],
}) {}

/** Rounds begin by the dozen, and their object reads nothing before its first call. */
export class Round extends loadedObject<RoundObject<Env, PublishedRound>>({
  load: async (ctx, env) => (await import('./rounds/object.ts')).createRound(ctx, env),
  methods: {
    ...{ start: true, execute: true, read: true, wait: true, waitingFor: true },
    blockFound: true,
    accepted: true,
    declined: true,
    voted: true,
    decided: true,
  },
  events: ['alarm'],
  isLoadedWhenCalled: true,
}) {}

export class DirectOrder extends loadedObject<DirectOrderObject<Env>>({
  load: async (ctx, env) => (await import('./rounds/direct-order-object.ts')).createDirectOrder(ctx, env),
  methods: { execute: true, dump: true, load: true },
  events: [],
}) {}

export class Archivist extends loadedObject<ArchivistObject<Env>>({
  load: async (ctx, env) => (await import('./archive/object.ts')).createArchivist(ctx, env),
  methods: { wake: true },
  events: ['alarm'],
}) {}

export class EventFeed extends loadedObject<EventFeedObject<Env>>({
  load: async (ctx, env) => (await import('./events/object.ts')).createEventFeed(ctx, env),
  methods: { next: true, wake: true },
  events: [],
}) {}

export class ProjectCommittees extends ProjectCommitteesObject<Env, PublishedRound> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, committeesConfig(env))
  }
}

/** Has the next generation of validators signed: `env.GENERATION_KEEPER.getByName('validators')`. */
export class GenerationKeeper extends RepeatingObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, {
      step: async () => {
        const { gatherSignatures } = await import('./validators/gather-signatures.ts')
        return gatherSignatures(services(env), readSettings(env))
      },
      failure: 'the next generation of validators could not be brought forward',
    })
  }
}

/** Reads the log of events for webhooks: `env.WEBHOOK_READER.getByName('webhooks')`. */
export class WebhookReader extends RepeatingObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    let reader: { step(): Promise<number | null> } | undefined
    super(ctx, env, {
      step: async () => {
        const { createReader } = await import('./webhooks/reader.ts')
        reader ??= createReader(env)
        return reader.step()
      },
      failure: 'the log of events could not be read for webhooks',
    })
  }
}

/** Without a chain there is nothing to look at. */
const noChainMs = 60_000

function committeesConfig(env: Env): CommitteesConfig<PublishedRound> {
  const settings = readSettings(env)
  const rounds = createRoundsClient(env)
  const hasChain = settings.CHAIN_RPC_URL !== undefined && settings.CHAIN_CONTRACTS !== undefined
  return {
    hasChain,
    pollMs: settings.CLOCK === 'chain' ? settings.CHAIN_BLOCK_SECS * 1000 : null,
    advance: async (projectId, listen) => {
      if (!hasChain) return null
      const { ProjectSets } = await import('./committees/project-sets.ts')
      return new ProjectSets(services(env), settings, listen).advance(projectId)
    },
    now: () => services(env).clock.now(),
    resumedAt: async () => {
      const { BackupStore } = await import('./stores/backups.ts')
      return services(env).store(BackupStore).lastResumed()
    },
    runningEpoch: async (projectId, now) => {
      if (!hasChain) return null
      const { findRunningEpoch } = await import('./rounds/running-epoch.ts')
      return findRunningEpoch(services(env), projectId, now)
    },
    startRound: (terms, isRepeated) => rounds(terms.roundId).start(terms, isRepeated),
    viewOf: ({ row }) => {
      const { round, leases } = row as WrittenRound
      return { round, leases }
    },
    auditBlock: async (agreedAt) => (await services(env).auditBlocks?.find(agreedAt)) ?? null,
    untilNextBlock: () => services(env).auditBlocks?.untilNextLook() ?? noChainMs,
    tellBlock: (roundId, block) => rounds(roundId).blockFound(block),
    endRounds: async (projectId, ended) => {
      const { endRounds } = await import('./rounds/end-rounds.ts')
      return endRounds(env, settings, projectId, ended)
    },
    noteQueued: (projectId, { taskId, function: name, gasLimit, inputHash }, createdAt) =>
      services(env).tasks.queue([{ taskId, projectId, function: name, gasLimit, inputHash, createdAt }]),
    noteScheduled: (scheduled) => services(env).tasks.schedule(scheduled),
    noteExpired: (taskIds, error) => services(env).tasks.fail(taskIds, error),
  }
}
