import { env } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import * as hub from '../index.ts'
import { ownMessages } from './own-messages.ts'
import { recorded } from './used-objects.ts'

/** The hub whose objects `empty-storage.ts` finds again. The budgets of callers are many, and none is used by two files. */
export default {
  ...hub.default,
  queue: (batch: MessageBatch<unknown>, bindings: Env) => hub.default.queue(ownMessages(batch), bindings),
} satisfies typeof hub.default
export const { RateLimiter } = hub
export const Relayer = recorded(hub.Relayer, env.RELAYER)
export const ChainIndexer = recorded(hub.ChainIndexer, env.CHAIN_INDEXER)
export const FaucetCooldown = recorded(hub.FaucetCooldown, env.FAUCET_COOLDOWN)
export const ProjectCommittees = recorded(hub.ProjectCommittees, env.PROJECT_COMMITTEES)
export const NodeLink = recorded(hub.NodeLink, env.NODE_LINK)
export const Round = recorded(hub.Round, env.ROUND)
export const GenerationKeeper = recorded(hub.GenerationKeeper, env.GENERATION_KEEPER)
export const DirectOrder = recorded(hub.DirectOrder, env.DIRECT_ORDER)
export const Archivist = recorded(hub.Archivist, env.ARCHIVIST)
export const WebhookReader = recorded(hub.WebhookReader, env.WEBHOOK_READER)
export const EventFeed = recorded(hub.EventFeed, env.EVENT_FEED)
