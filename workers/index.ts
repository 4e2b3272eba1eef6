import { unixNow } from '../durable-objects/clock.ts'
import { createApp } from './app.ts'
import { directRetention, type Env, readSettings } from './env.ts'
import { consumeQueue } from './queues/index.ts'
import { services } from './services.ts'

export { FaucetCooldown } from '../durable-objects/limits/faucet-cooldown.ts'
export { RateLimiter } from '../durable-objects/limits/rate-limiter.ts'
export {
  ChainIndexer,
  DirectOrder,
  EventFeed,
  GenerationKeeper,
  NodeLink,
  ProjectCommittees,
  Relayer,
  Round,
} from './objects.ts'

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
      epochRounds,
      networkFigures,
      generationKeeper,
      relayer,
      previousRelayers,
      arbiter,
      indexer,
    } = services(env)
    const { bringDueActions } = await import('./outbox/hub-actions.ts')
    const { wantDueSlashActions } = await import('./slashing/due-slashes.ts')
    const { recordDueOffences } = await import('./slashing/round-offences.ts')
    const { followForeignActions } = await import('./actions/foreign-actions.ts')
    // Alarms drive the first of them; this brings them back should one have been lost.
    const driven = [relayer, ...previousRelayers, arbiter, indexer].map((one) => one?.wake())
    await recordDueOffences(env).catch(logged)
    await wantDueSlashActions(env).catch(logged)
    await Promise.all(
      [...driven, bringDueActions(env), followForeignActions(env)].map((done) => done?.catch(logged)),
    )
    const { pruneDirectRounds } = await import('./rounds/prune-direct-rounds.ts')
    const now = unixNow()
    // One store that fails does not keep the others from being swept.
    const networkNow = await clock.now()
    await projectVersions.activateDue(networkNow, 100)
    await projectFigures.cool(networkNow)
    await pruneDirectRounds(services(env), directRetention(readSettings(env)), networkNow).catch(logged)
    await epochRounds.purge(networkNow).catch(logged)
    await committeeSets.purgeMissing(networkNow).catch(logged)
    await networkFigures.refresh(networkNow).catch(logged)
    const { keepEvents } = await import('./events/keep-events.ts')
    await keepEvents(services(env), readSettings(env), networkNow).catch(logged)
    await nodeRequestNonces.purge(networkNow).catch(logged)
    for (const store of [siweNonces, sessions, idempotencyKeys]) await store.purge(now).catch(logged)
    await generationKeeper.wake().catch(logged)
    if (committees !== null) {
      for (const projectId of await committeeSets.projectsWithQuorumLost(networkNow, 100))
        await committees(projectId).lookAgain(projectId).catch(logged)
      for (const projectId of await committeeSets.projectsWithoutSet(networkNow, 100))
        await committees(projectId).wake(projectId).catch(logged)
    }
  },
} satisfies ExportedHandler<Env>

const logged = (error: unknown): void => console.error(error)
