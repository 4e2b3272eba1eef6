import { createApp } from './app.ts'
import { unixNow } from './context.ts'
import type { Env } from './env.ts'
import { services } from './services.ts'

export { RateLimiter } from '../durable-objects/rate-limiter.ts'

const app = createApp()

export default {
  fetch: app.fetch,
  async scheduled(_controller, env) {
    const { siweNonces, sessions, nodeRequestNonces, idempotencyKeys } = services(env)
    const now = unixNow()
    for (const store of [siweNonces, sessions, nodeRequestNonces, idempotencyKeys]) await store.purge(now)
  },
} satisfies ExportedHandler<Env>
