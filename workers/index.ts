import { unixNow } from '../durable-objects/clock.ts'
import { createApp } from './app.ts'
import type { Env } from './env.ts'
import { consumeQueue } from './queues/index.ts'
import { services } from './services.ts'

export { FaucetCooldown } from '../durable-objects/faucet-cooldown.ts'
export { RateLimiter } from '../durable-objects/rate-limiter.ts'
export { ChainIndexer, NodeLink, ProjectCommittees, Relayer } from './objects.ts'

const app = createApp()

export default {
  fetch: app.fetch,
  queue: consumeQueue,
  async scheduled(_controller, env) {
    const {
      clock,
      committees,
      committeeSets,
      siweNonces,
      sessions,
      nodeRequestNonces,
      idempotencyKeys,
      projectVersions,
      projectFigures,
      relayer,
      previousRelayers,
      arbiter,
      indexer,
    } = services(env)
    const { bringDueActions } = await import('./relay/hub-actions.ts')
    const { wantDueSlashActions } = await import('./settlement/due-slashes.ts')
    const { followForeignActions } = await import('./relay/foreign-actions.ts')
    // Alarms drive the first of them; this brings them back should one have been lost.
    const driven = [relayer, ...previousRelayers, arbiter, indexer].map((one) => one?.wake())
    await wantDueSlashActions(env).catch(logged)
    await Promise.all(
      [...driven, bringDueActions(env), followForeignActions(env)].map((done) => done?.catch(logged)),
    )
    const now = unixNow()
    // One store that fails does not keep the others from being swept.
    const networkNow = await clock.now()
    await projectVersions.activateDue(networkNow, 100)
    await projectFigures.cool(networkNow)
    await nodeRequestNonces.purge(networkNow).catch(logged)
    for (const store of [siweNonces, sessions, idempotencyKeys]) await store.purge(now).catch(logged)
    if (committees !== null)
      for (const projectId of await committeeSets.projectsWithoutSet(networkNow, 100))
        await committees.wake(projectId).catch(logged)
  },
} satisfies ExportedHandler<Env>

const logged = (error: unknown): void => console.error(error)
