import type * as z from 'zod'
import type { ArchivistObject } from '../durable-objects/archivist/object.ts'
import type { DirectOrderObject } from '../durable-objects/direct-order/object.ts'
import type { EventFeedObject } from '../durable-objects/events/object.ts'
import type { ChainIndexerObject } from '../durable-objects/indexer/object.ts'
import type { FaucetCooldown } from '../durable-objects/limits/faucet-cooldown.ts'
import type { RateLimiter } from '../durable-objects/limits/rate-limiter.ts'
import type { NodeLinkObject } from '../durable-objects/link/object.ts'
import type { ProjectCommitteesObject } from '../durable-objects/project/object.ts'
import type { RelayerObject } from '../durable-objects/relayer/object.ts'
import type { RepeatingObject } from '../durable-objects/repeating-object.ts'
import type { RoundObject } from '../durable-objects/round/object.ts'
import { readParamsSchedule, settlementTimeProblems } from '../protocol/earnings/index.ts'
import {
  chainTimeProblems,
  type NetworkParams,
  networkParamsOf,
  type ParamsSchedule,
  type Profile,
} from '../protocol/identity/index.ts'
import { SettingsError } from './errors.ts'
import type { ActionMessage, DueActionsMessage } from './queues/action-message.ts'
import type { RoundMessage } from './queues/round-message.ts'
import type { WebhookMessage } from './queues/webhook-message.ts'
import { describeIssue, parseSettings, type SettingsSchema } from './settings.ts'
import type { PublishedRound } from './stores/rounds.ts'

/** Bindings and raw vars of wrangler.toml, as the platform hands them in. */
export interface Env extends Partial<Record<keyof z.output<typeof SettingsSchema>, string>> {
  DB: D1Database
  MODULES: R2Bucket
  ROUNDS: R2Bucket
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>
  RELAYER: DurableObjectNamespace<RelayerObject>
  CHAIN_INDEXER: DurableObjectNamespace<ChainIndexerObject>
  FAUCET_COOLDOWN: DurableObjectNamespace<FaucetCooldown>
  PROJECT_COMMITTEES: DurableObjectNamespace<ProjectCommitteesObject<Env, PublishedRound>>
  NODE_LINK: DurableObjectNamespace<NodeLinkObject>
  ROUND: DurableObjectNamespace<RoundObject<Env, PublishedRound>>
  DIRECT_ORDER: DurableObjectNamespace<DirectOrderObject>
  ARCHIVIST: DurableObjectNamespace<ArchivistObject>
  EVENT_FEED: DurableObjectNamespace<EventFeedObject>
  GENERATION_KEEPER: DurableObjectNamespace<RepeatingObject>
  WEBHOOK_READER: DurableObjectNamespace<RepeatingObject>
  ACTIONS: Queue<ActionMessage | DueActionsMessage>
  ROUND_ROWS: Queue<RoundMessage>
  WEBHOOK_DELIVERIES: Queue<WebhookMessage>
  ASSETS: Fetcher
  PROFILE: string
  BASE_URL: string
  HUB_SECRET: string
}

export interface Settings extends z.output<typeof SettingsSchema> {
  PROFILE: Profile
}

export const directRetention = (settings: Settings) => ({
  seconds: settings.DIRECT_KEEP_SECONDS,
  rounds: settings.DIRECT_KEEP_ROUNDS,
  bytes: settings.DIRECT_KEEP_BYTES,
})

/** All that this hub knows of the parameters of its network. */
export function paramsScheduleIn({ PROFILE, PARAMS_CHANGES }: Settings): ParamsSchedule {
  const read = readParamsSchedule(PROFILE.chain_id, PARAMS_CHANGES)
  if ('schedule' in read) return read.schedule
  throw new SettingsError('The changes of parameters are wrong.')
}

const parsed = new WeakMap<Env, Settings>()

/**
 * The validated settings, before any request is answered. @throws {@link SettingsError} which names every wrong or missing one, and shows no
 * value; also for times of the network that do not fit together.
 */
export function readSettings(env: Env, networkParams?: NetworkParams): Settings {
  const known = parsed.get(env)
  if (known) return known
  const result = parseSettings(env as unknown as Record<string, unknown>)
  if (!result.success)
    throw new SettingsError(`Wrong settings: ${result.error.issues.map(describeIssue).join('; ')}`)
  const { chain_id } = result.data.PROFILE
  const params = networkParams ?? networkParamsOf(chain_id)
  const problems = [...settlementTimeProblems(params), ...chainTimeProblems(params, chain_id)]
  if (problems.length > 0)
    throw new SettingsError(`The times of the network contradict each other:\n${problems.join('\n')}`)
  parsed.set(env, result.data)
  return result.data
}
