import { createApp } from './app.ts'
import type { Env } from './env.ts'
import { consumeQueue } from './queues/index.ts'

export { FaucetCooldown } from '../durable-objects/limits/faucet-cooldown.ts'
export { RateLimiter } from '../durable-objects/limits/rate-limiter.ts'
export {
  Archivist,
  ChainIndexer,
  DirectOrder,
  EventFeed,
  GenerationKeeper,
  NodeLink,
  ProjectCommittees,
  Relayer,
  Round,
  WebhookReader,
} from './objects.ts'

const app = createApp()

export default {
  fetch: app.fetch,
  queue: consumeQueue,
  async scheduled(_controller, env) {
    const { runSchedule } = await import('./schedule.ts')
    await runSchedule(env)
  },
} satisfies ExportedHandler<Env>
