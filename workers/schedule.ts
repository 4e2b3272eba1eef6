import { unixNow } from '../durable-objects/clock.ts'
import { followForeignActions } from './actions/foreign-actions.ts'
import { lookForAlarms } from './alarms/look.ts'
import { AskedQueries } from './asked-queries.ts'
import { directRetention, type Env, readSettings } from './env.ts'
import { keepEvents } from './events/keep-events.ts'
import { bringDueActions } from './outbox/hub-actions.ts'
import { pruneDirectRounds } from './rounds/prune-direct-rounds.ts'
import { resumeSimulations } from './rounds/simulate.ts'
import { services } from './services.ts'
import { wantDueSlashActions } from './slashing/due-slashes.ts'
import { recordDueOffences } from './slashing/round-offences.ts'
import { ExpiredRows } from './stores/expired-rows.ts'
import { NetworkFiguresStore } from './stores/network-figures.ts'
import { ProjectFiguresStore } from './stores/project-figures.ts'
import { StandingStore } from './stores/standings.ts'
import { WebhookDeliveryStore } from './stores/webhook-deliveries.ts'

/**
 * The queries of a run after which such work is left to the next one. D1 answers 1,000: the others are for the work that is under way then,
 * and for the steps that follow.
 */
const queriesMax = { earlyEvidence: 250, nextRound: 400, offences: 600, actions: 750 }

/** As in `wrangler.toml`; both have to be changed together. */
const everySecs = 300

/** Each takes half a dozen queries. */
const versionsMax = 25

/**
 * The work that the hub does every five minutes. A step that fails is tried again the next time. The steps that revive others
 * and warn operators come first, and those that only make room come last.
 */
export async function runSchedule(bindings: Env): Promise<void> {
  const asked = new AskedQueries(bindings)
  const { env } = asked
  const {
    clock,
    committees,
    committeeSets,
    projectVersions,
    generationKeeper,
    relayer,
    previousRelayers,
    arbiter,
    indexer,
  } = services(env)
  // Alarms drive the first of them; this brings them back should one have been lost.
  const driven = [relayer, ...previousRelayers, arbiter, indexer].map((one) => one?.wake())
  await Promise.all([...driven, generationKeeper.wake()].map((done) => done?.catch(logged)))
  const settings = readSettings(env)
  const networkNow = await clock.now()
  await wakeWebhookReader(env).catch(logged)
  await env.ARCHIVIST.getByName('rounds').wake().catch(logged)
  await lookForAlarms(services(env), settings, networkNow).catch(logged)
  await projectVersions.activateDue(networkNow, versionsMax).catch(logged)
  if (committees !== null) {
    for (const projectId of await committeeSets.projectsWithQuorumLost(networkNow, 100).catch(loggedAsNone))
      await committees(projectId).lookAgain(projectId).catch(logged)
    for (const projectId of await committeeSets.projectsWithoutSet(networkNow, 100).catch(loggedAsNone))
      await committees(projectId).wake(projectId).catch(logged)
  }
  await recordDueOffences(env, {
    earlyEvidence: asked.fewerThan(queriesMax.earlyEvidence),
    nextRound: asked.fewerThan(queriesMax.nextRound),
    sameRound: asked.fewerThan(queriesMax.offences),
  }).catch(logged)
  await wantDueSlashActions(env).catch(logged)
  await Promise.all(
    [bringActions(bindings, asked, nextRun(unixNow())), followForeignActions(env)].map((done) =>
      done.catch(logged),
    ),
  )
  await services(env).store(ProjectFiguresStore).cool(networkNow).catch(logged)
  await services(env).store(NetworkFiguresStore).refresh(networkNow).catch(logged)
  await services(env).store(StandingStore).leaveDays(networkNow).catch(logged)
  await committeeSets.purgeMissing(networkNow).catch(logged)
  await keepEvents(services(env), settings).catch(logged)
  if (settings.DIRECT_ROUNDS_ENABLED) await resumeSimulations(services(env)).catch(logged)
  await pruneDirectRounds(services(env), directRetention(settings), networkNow).catch(logged)
  const times = {
    ...{ machine: unixNow(), network: networkNow },
    tasksKeptSecs: settings.ROUNDS_KEEP_DAYS * 86_400,
  }
  // One store that fails does not keep the others from being swept.
  for (const error of await services(env).store(ExpiredRows).purge(times)) logged(error)
}

/** Has the queue go on with the actions of the hub that it leaves, with queries of its own, until the next run of the schedule. */
async function bringActions(bindings: Env, asked: AskedQueries, until: number): Promise<void> {
  const isLeft = await bringDueActions(asked.env, asked.fewerThan(queriesMax.actions))
  if (isLeft) await bindings.ACTIONS.send({ v: 1, due_until: until })
}

/** Goes on with what a run of the schedule left. As each chain of such messages ends where the next one may begin, there is one at a time. */
export async function goOnUntil(bindings: Env, until: number): Promise<void> {
  if (unixNow() < until) await bringActions(bindings, new AskedQueries(bindings), until).catch(logged)
}

const nextRun = (now: number): number => (Math.floor(now / everySecs) + 1) * everySecs

/** A hub without webhooks has no reader. */
async function wakeWebhookReader(env: Env): Promise<void> {
  if (await services(env).store(WebhookDeliveryStore).isNeeded())
    await env.WEBHOOK_READER.getByName('webhooks').wake()
}

const logged = (error: unknown): void => console.error(error)
const loggedAsNone = (error: unknown): [] => {
  logged(error)
  return []
}
