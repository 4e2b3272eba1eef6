import type { SQLWrapper } from 'drizzle-orm'
import type { FixedParams } from '../protocol/identity/index.ts'
import { DerivedValues } from './auth/operation.ts'
import { Beacons } from './beacons.ts'
import { createChainClient } from './chain/client.ts'
import { createIndexerClient } from './chain/indexer.ts'
import { createCommitteesClient } from './committees/client.ts'
import { createCoordinator } from './coordinator.ts'
import { type Env, paramsScheduleIn, readSettings } from './env.ts'
import { CursorCodec } from './http/cursor.ts'
import { Sealer } from './http/seal.ts'
import { createLinksClient } from './link/client.ts'
import { LinkCount } from './link/link-count.ts'
import { createNetworkClock } from './network-clock.ts'
import { createRelayerClients } from './relayer/client.ts'
import { AuditBlocks } from './rounds/audit-blocks.ts'
import { createDirectOrderClient, createRoundsClient } from './rounds/client.ts'
import { AccountStore } from './stores/accounts.ts'
import { ApiKeyStore } from './stores/api-keys.ts'
import { AssetStore } from './stores/assets.ts'
import { AuditLogStore } from './stores/audit-log.ts'
import { BeaconStore } from './stores/beacons.ts'
import { ChainIndexStore } from './stores/chain-index.ts'
import { ClaimStore } from './stores/claims.ts'
import { CollateralStore } from './stores/collateral.ts'
import { CommitteeSetStore } from './stores/committee-sets.ts'
import { type Database, openDatabase } from './stores/database.ts'
import { DeadLetterStore } from './stores/dead-letters.ts'
import { DeveloperStore } from './stores/developers.ts'
import { DeviceLinkStore } from './stores/device-links.ts'
import { DeviceStore } from './stores/devices.ts'
import { DirectRoundStore } from './stores/direct-rounds.ts'
import { EpochRoundStore } from './stores/epoch-rounds.ts'
import { EpochStore } from './stores/epochs.ts'
import { FaucetSettingsStore } from './stores/faucet-settings.ts'
import { HubActionStore } from './stores/hub-actions.ts'
import { IdempotencyKeyStore } from './stores/idempotency-keys.ts'
import { LateWorkStore } from './stores/late-work.ts'
import { ModuleStore } from './stores/modules.ts'
import { NodeRequestNonceStore } from './stores/node-request-nonces.ts'
import { NodeStore } from './stores/nodes.ts'
import { PendingGenerationStore } from './stores/pending-generations.ts'
import { PreferencesStore } from './stores/preferences.ts'
import { ProjectDecisionStore } from './stores/project-decisions.ts'
import { ProjectVersionStore } from './stores/project-versions.ts'
import { ProjectStore } from './stores/projects.ts'
import { ReceiptStore } from './stores/receipts.ts'
import { RoundFiles } from './stores/round-files.ts'
import { RoundStore, type WrittenRound } from './stores/rounds.ts'
import { SessionStore } from './stores/sessions.ts'
import { SetCandidateStore } from './stores/set-candidates.ts'
import { SiweNonceStore } from './stores/siwe-nonces.ts'
import { SlashStore } from './stores/slashes.ts'
import { SubscriptionStore } from './stores/subscriptions.ts'
import { TaskStore } from './stores/tasks.ts'
import { TransactionStore } from './stores/transactions.ts'
import { ValidatorStore } from './stores/validators.ts'
import { createGenerationKeeperClient } from './validators/keeper.ts'

/** The stores and clients of requests, queues and schedules, made once for each isolate and constructed nowhere else. */
export function createServices(env: Env) {
  const settings = readSettings(env)
  const db = openDatabase(env.DB)
  const paramsSchedule = paramsScheduleIn(settings)
  const params: FixedParams = paramsSchedule[0].params
  const chainIndex = new ChainIndexStore(db, settings.CHAIN_WINDOW_BLOCKS, params)
  const clock = createNetworkClock(settings.CLOCK, () => chainIndex.leadSecs())
  const { CHAIN_RPC_URL: rpcUrl, CHAIN_TIMEOUT_MS: timeoutMs } = settings
  const chainClient = (isPatient: boolean) =>
    rpcUrl ? createChainClient({ rpcUrl, timeoutMs, isPatient }) : null
  const chain = chainClient(false)
  const indexer = createIndexerClient(env, settings)
  const newestBlocks = async () => (await indexer?.newest()) ?? null
  const beacons = new Beacons({
    profile: settings.PROFILE,
    params,
    clock,
    store: new BeaconStore(db),
    // Sought in the background, in many trips: a rate limit must not have all of them begin again.
    chain: chainClient(true),
    finalBlock: async () => (await chainIndex.cursor())?.final ?? null,
    seekOnce: indexer && ((epochSecs, epoch) => indexer.beacon(epochSecs, epoch)),
  })
  const deviceLinks = new DeviceLinkStore(db)
  const made = new Map<unknown, unknown>()
  return {
    /** A store that few routes use, and that is loaded with them. */
    store<S>(Class: new (db: Database, params: FixedParams) => S): S {
      if (!made.has(Class)) made.set(Class, new Class(db, params))
      return made.get(Class) as S
    },
    /** The parameters that never change. */
    params,
    /** All of them, with the changes of those that do. */
    paramsSchedule,
    /** Whether blocks become final in time. @throws While nobody knows. */
    isFinalizing: async () => (await newestBlocks())?.isFinalizing ?? true,
    clock,
    beacons,
    coordinator: createCoordinator(settings),
    siweNonces: new SiweNonceStore(db),
    sessions: new SessionStore(db),
    apiKeys: new ApiKeyStore(db),
    nodeRequestNonces: new NodeRequestNonceStore(db),
    idempotencyKeys: new IdempotencyKeyStore(db),
    modules: new ModuleStore(db, env.MODULES),
    preferences: new PreferencesStore(db),
    developers: new DeveloperStore(db),
    accounts: new AccountStore(db),
    devices: new DeviceStore(db),
    deviceLinks,
    linkCount: new LinkCount(async () => (await deviceLinks.totals()).connectedDevices),
    links: createLinksClient(env),
    subscriptions: new SubscriptionStore(db),
    collateral: new CollateralStore(db),
    slashes: new SlashStore(db, env.MODULES),
    validators: new ValidatorStore(db, params),
    pendingGenerations: new PendingGenerationStore(db),
    generationKeeper: createGenerationKeeperClient(env),
    assets: new AssetStore(db, env.MODULES),
    projects: new ProjectStore(db),
    epochs: new EpochStore(db, env.MODULES),
    claims: new ClaimStore(db),
    projectVersions: new ProjectVersionStore(db),
    projectDecisions: new ProjectDecisionStore(db),
    nodes: new NodeStore(db),
    faucetSettings: new FaucetSettingsStore(db),
    auditLog: new AuditLogStore(db),
    transactions: new TransactionStore(db),
    chainIndex,
    committeeSets: new CommitteeSetStore(db, env.MODULES, params),
    setCandidates: new SetCandidateStore(db),
    tasks: new TaskStore(db),
    rounds: new RoundStore(db),
    // Requests only read rounds.
    writeRounds: async (given: readonly WrittenRound[], following?: readonly SQLWrapper[]) => {
      const { writeRounds } = await import('./stores/round-writer.ts')
      const { wakeFeeds } = await import('./events/client.ts')
      return writeRounds(db, given, following, wakeFeeds(env))
    },
    // Most requests are about rounds that are not in archives.
    archive: async () => (await import('./archive/open.ts')).openArchive(db, env.ROUNDS),
    directRounds: new DirectRoundStore(db),
    roundFiles: new RoundFiles(env.ROUNDS),
    receipts: new ReceiptStore(db),
    epochRounds: new EpochRoundStore(db),
    lateWork: new LateWorkStore(db),
    /** The rounds on their way to the database. */
    roundQueue: () => env.ROUND_ROWS.metrics(),
    // Few requests follow events.
    events: async () => (await import('./events/services.ts')).eventServices(db, env),
    hubActions: new HubActionStore(db),
    deadLetters: new DeadLetterStore(db),
    cursors: new CursorCodec(settings.HUB_SECRET),
    sealer: new Sealer(settings.HUB_SECRET),
    derived: new DerivedValues(settings.HUB_SECRET),
    chain,
    auditBlocks: chain && new AuditBlocks(chain, newestBlocks, settings.CHAIN_BLOCK_SECS * 1000),
    ...createRelayerClients(env, settings),
    committees: createCommitteesClient(env, settings),
    roundObjects: createRoundsClient(env),
    directOrder: createDirectOrderClient(env),
    indexer,
  }
}

export type Services = ReturnType<typeof createServices>

let created = new WeakMap<Env, Services>()

export function services(env: Env): Services {
  let known = created.get(env)
  if (known === undefined) {
    known = createServices(env)
    created.set(env, known)
  }
  return known
}

/** Forgets them with all that they keep; tests do, between files that share an isolate. */
export function forgetServices(): void {
  created = new WeakMap()
}
