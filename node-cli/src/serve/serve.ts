import path from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { exitCodes } from '../cli/errors.ts'
import { leaveAtOnce } from '../cli/leave.ts'
import { writeOutput } from '../cli/standard-streams.ts'
import { isDatabaseFailure } from '../data-dir/database.ts'
import { withDataDir } from '../data-dir/lock.ts'
import { createNodeKey, identityOf } from '../data-dir/node-key.ts'
import { closeThreads, keepThreads } from '../engine/index.ts'
import { paramsScheduleFrom } from '../params-changes.ts'
import { keepProfile } from '../profile.ts'
import { BackgroundThread } from './background/background-thread.ts'
import { ChunkStore } from './chunks/chunk-store.ts'
import { AdjustableClock } from './clock.ts'
import { isLoopbackBind, type Names, type ServeConfig } from './config.ts'
import { deviceEngineOf } from './device-engine.ts'
import { createEpochs, type Epochs } from './epochs/index.ts'
import { evidencePart } from './evidence/evidence-part.ts'
import { executionMetrics } from './execution/execution-metrics.ts'
import { ExecutionQueue } from './execution/execution-queue.ts'
import { Executor } from './execution/executor.ts'
import { ModuleChanges } from './execution/module-changes.ts'
import { ModuleLibrary } from './execution/module-library.ts'
import { oldRoundsPart } from './execution/old-rounds-part.ts'
import { GenerationFollower } from './generations/follower.ts'
import { Generations } from './generations/generations.ts'
import { createCredentials } from './http/credentials.ts'
import { hostCheck } from './http/own-host.ts'
import { type RunningServer, startServer } from './http/server.ts'
import { hubClient } from './hub/hub-client.ts'
import { hubPart, setClock } from './hub/hub-part.ts'
import { parseHubUrl } from './hub/hub-url.ts'
import { learnProfile } from './hub/network.ts'
import { idleMemoryPart } from './idle-memory.ts'
import { createLog, type Log } from './log.ts'
import { Metrics, observeProcess } from './metrics.ts'
import { minerPart } from './miner/miner-part.ts'
import type { Part, StatusMembers } from './part.ts'
import { routesOf } from './routes/index.ts'
import { claimDirectory, leaveDirectory } from './slashing-protection/copied-directory.ts'
import { withholdVotesBefore } from './slashing-protection/votes.ts'
import { openServeStore, type ServeStore } from './store/index.ts'
import { ModuleStates } from './sync/module-states.ts'
import { stateSyncPart } from './sync/state-sync.ts'
import { createValidator, type Validator } from './validator/validator.ts'
import { validatorLinkPart } from './validator/validator-link.ts'
import { validatorPart } from './validator/validator-part.ts'

/** How long executions, and what waits for them, may go on after the node was told to stop. */
const stopMs = 10_000
const waitingMax = 256
const bytesPerMebibyte = 1024 * 1024
/** A direct round is over after half a minute, so more would wait in vain. */
const directWaiting = { waiting: 64, waitingBytes: 16 * bytesPerMebibyte }
const waitingBytesMax = 64 * 1024 * 1024

/**
 * Runs a node until it is told to stop.
 *
 * @throws {@link CliError} for a data directory that is in use, or that cannot be used, and an address that is.
 */
export async function serve(given: ServeConfig): Promise<void> {
  const stopped = stopSignal()
  // A hub that takes calls and does not answer keeps no start from ending.
  const stopping = new AbortController()
  void stopped.then(() => stopping.abort())
  const { dataDir } = given
  await withDataDir(dataDir, async () => {
    const config = { ...given, names: await learnNames(given, stopping.signal) }
    keepProfile(dataDir, config.names.profile)
    const seed = await createNodeKey(dataDir)
    const store = openServeStore(dataDir)
    try {
      const node = createNode(config, seed, store)
      leaveOnBugs(node.log)
      await setClock(node, config, stopping.signal)
      withholdVotesOfCopy(node)
      if (stopping.signal.aborted) return
      await node.chunks?.clean()
      await keepThreads(config.workers)
      await run(node, stopped)
      leaveInOrder(node)
    } finally {
      store.close()
    }
  })
}

/** The names of the network; those of the settings too where the hub is away. */
async function learnNames({ names, hubUrl }: ServeConfig, stop: AbortSignal): Promise<Names> {
  if (hubUrl === null) return names
  return learnProfile(hubClient(parseHubUrl(hubUrl), stop), names).catch(() => names)
}

async function run(node: ServeNode, stopped: Promise<NodeJS.Signals>): Promise<void> {
  const { config, log } = node
  const validator = createValidator(node, config)
  const isValidator = config.role === 'validator'
  const epochs = !isValidator || config.hubUrl === null ? null : createEpochs(node, validator, config.hubUrl)
  const parts = partsOf(node, isValidator ? validator : null, epochs)
  const server = await startServer({
    bind: config.bind,
    routes: routesOf(node, validator, epochs),
    checkHost: hostCheck(isLoopbackBind(config.bind), config.nodeUrl),
    credentials: createCredentials({
      profile: node.profile,
      clock: node.clock,
      maxSkew: () => node.params().max_skew,
      apiToken: config.apiToken,
      senders: node.store.senders,
      nonces: node.store.nonces,
    }),
    log,
    metrics: node.metrics,
  })
  const started: Part[] = []
  try {
    for (const part of parts) {
      await part.start()
      started.unshift(part)
    }
    announce(node, server)
    log.info('stopping', { signal: await stopped, running: node.queue.running })
  } finally {
    const late = timeOut(stopMs)
    for (const part of started) await Promise.race([part.stop(), late])
    validator.stop()
    await stop(node, server, late)
  }
}

/**
 * The parts of a node that work by themselves, in the order in which they start.
 *
 * @param validator Null on a node that is not a validator.
 * @param epochs Null on a node that is not a validator, or has no hub.
 */
function partsOf(node: ServeNode, validator: Validator | null, epochs: Epochs | null): readonly Part[] {
  const { config } = node
  const { hubUrl, nodeUrl, role, stateSync } = config
  const hub = hubUrl === null ? null : { url: hubUrl, part: hubPart(node, config, hubUrl) }
  return [
    idleMemoryPart(),
    oldRoundsPart(node, config.direct.retention),
    ...(hub === null ? [] : [hub.part]),
    ...(stateSync ? [stateSyncPart(node)] : []),
    ...(validator === null ? [] : [validatorPart(node, validator, nodeUrl)]),
    ...(validator === null || hub === null
      ? []
      : [validatorLinkPart(node, validator, config, hub.url, hub.part.introduced)]),
    ...(epochs === null ? [] : [epochs.part]),
    ...(validator === null || hub === null ? [] : [evidencePart(node, hub.url)]),
    ...(hub === null || role !== 'miner' ? [] : [minerPart(node, config, hub.url, hub.part.introduced)]),
  ]
}

/** Everything that the parts of this node are made of. Each part takes what it uses of it. */
type ServeNode = ReturnType<typeof createNode>

function createNode(config: ServeConfig, seed: string, store: ServeStore) {
  const { profile } = config.names
  const log = createLog(config.logFormat, config.logLevel)
  const metrics = new Metrics()
  const background = new BackgroundThread(profile)
  const directBackground = new BackgroundThread(profile)
  const changes = new ModuleChanges(store, directBackground)
  const library = new ModuleLibrary(store.modules, background)
  const queue = new ExecutionQueue({
    running: config.workers,
    waiting: waitingMax,
    waitingBytes: waitingBytesMax,
    direct: { ...directWaiting, share: config.direct.share },
  })
  const executions = executionMetrics(metrics, queue)
  const { node_id: nodeId, public_key: publicKey } = identityOf(profile, config.dataDir, seed)
  const identity = { nodeId, publicKey }
  const clock = new AdjustableClock()
  const chunks = openChunks(config, store)
  const startedAt = performance.now()
  const uptime = () => Math.floor((performance.now() - startedAt) / 1000)
  const { engine, payoutAddress, role } = config
  const paramsSchedule = paramsScheduleFrom(config.paramsChanges, profile.chain_id)
  const params = () => paramsSchedule[0].params
  const generations = new Generations(profile, params, store.generations)
  metrics.gauge('build_info', 'The version that runs; always 1', () => 1, {
    version: packageJson.version,
    engine: deviceEngineOf(engine),
    role,
  })
  metrics.gauge('votes', 'Votes that this node has given', store.votes.count)
  metrics.gauge('ledger_receipts', 'Receipts that were added to the ledger', store.ledger.count)
  metrics.gauge('direct_rounds', 'Direct rounds that are kept', () => store.directRounds.totals().rounds)
  metrics.gauge(
    'direct_bytes',
    'Bytes of the direct rounds that are kept',
    () => store.directRounds.totals().bytes,
  )
  observeProcess(metrics)
  return {
    config,
    profile,
    identity,
    seed,
    clock,
    params,
    paramsSchedule,
    log,
    metrics,
    store,
    background,
    /** For work that is not for rounds of tasks, so that no other work waits for it. */
    directBackground,
    library,
    queue,
    changes,
    executor: new Executor({
      engine,
      profile,
      seed,
      identity,
      payoutAddress,
      store,
      library,
      queue,
      background,
      directBackground,
      changes,
      directRetention: config.direct.retention,
      clock,
      log,
      metrics: executions,
    }),
    executions,
    generations,
    generationFollower:
      config.hubUrl === null
        ? null
        : new GenerationFollower(config.hubUrl, {
            ...{ profile, clock, generations, log, store, firstHash: config.validatorsHash },
          }),
    states: new ModuleStates(store, new BackgroundThread(profile)),
    isSyncing: () => config.stateSync && store.syncedState.progress() !== 'complete',
    chunks,
    status: new Map() as StatusMembers,
    uptime,
  }
}

const openChunks = ({ chunkStorage, dataDir }: ServeConfig, { db }: ServeStore): ChunkStore | null =>
  chunkStorage === null
    ? null
    : new ChunkStore(db, path.join(dataDir, 'chunks'), chunkStorage * bytesPerMebibyte)

/** A copy may lack the votes that were given since it was made, so it votes in new rounds only. */
function withholdVotesOfCopy({ config, store, clock, params, log }: ServeNode): void {
  claimDirectory(config.dataDir, store, () => {
    const notBefore = clock.now() + params().max_skew
    withholdVotesBefore(store.facts, notBefore)
    log.warn(
      'the data directory is a copy or was restored: the node does not vote in rounds that began before',
      { not_before: notBefore },
    )
  })
}

/** So that a backup which was made meanwhile is found to be one. A full disk does not keep the node from ending. */
function leaveInOrder({ config, store, log }: ServeNode): void {
  try {
    leaveDirectory(config.dataDir, store)
  } catch (error) {
    log.warn('the owner of the data directory is not written', { reason: String(error) })
  }
}

function announce({ identity, profile, config, log }: ServeNode, { url }: RunningServer): void {
  writeOutput(
    `${JSON.stringify({
      node_id: identity.nodeId,
      public_key: identity.publicKey,
      url,
      role: config.role,
      network: profile.network,
      engine: deviceEngineOf(config.engine),
      data_dir: config.dataDir,
    })}\n`,
  )
  log.info('serving', { url, node_id: identity.nodeId, version: packageJson.version })
}

/** Lets executions end, for a while, and the answers to them reach their callers. */
async function stop(
  { queue, background, directBackground, states, log }: ServeNode,
  server: RunningServer,
  late: Promise<'late'>,
): Promise<void> {
  const finished = Promise.all([queue.close(), server.close()]).then(() => 'finished' as const)
  const outcome = await Promise.race([finished, late])
  if (outcome === 'late') {
    log.warn('requests that took longer were cut off', { running: queue.running })
    server.cutOff()
  }
  await closeThreads()
  await background.close()
  await directBackground.close()
  await states.close()
  log.info('stopped')
  // A guest that had to be left running would keep the process for as long as it likes.
  if (outcome === 'late') leaveAtOnce(0)
}

const timeOut = (ms: number): Promise<'late'> =>
  new Promise((resolve) => setTimeout(() => resolve('late'), ms).unref())

/** An uncaught error leaves the process in an unknown state, so it exits; a service restarts it. */
function leaveOnBugs(log: Log): void {
  process.once('uncaughtException', (error) => {
    if (isDatabaseFailure(error)) {
      log.error('the data directory cannot be used, so the node ends', { reason: error.message })
      process.exit(exitCodes.failed)
    }
    log.error('this is a bug of nodectl, please report it', {
      version: packageJson.version,
      reason: error.stack,
    })
    process.exit(exitCodes.bug)
  })
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}
