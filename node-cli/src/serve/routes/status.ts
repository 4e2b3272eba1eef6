import packageJson from '../../../package.json' with { type: 'json' }
import { capabilitiesOf } from '../capabilities.ts'
import type { ChunkStore } from '../chunks/chunk-store.ts'
import type { ServeConfig } from '../config.ts'
import { deviceEngineOf } from '../device-engine.ts'
import type { ExecutionMetrics } from '../execution/execution-metrics.ts'
import { json, type Route } from '../http/route.ts'
import type { Metrics } from '../metrics.ts'
import type { NodeIdentity } from '../node-key.ts'
import type { NodeParts } from '../part.ts'
import type { ServeStore } from '../store/index.ts'

/** @param uptime Seconds since the start. */
export const healthRoute = (uptime: () => number): Route => ({
  method: 'GET',
  path: '/health',
  access: 'open',
  handle: () => json(200, { status: 'ok', version: packageJson.version, uptime_secs: uptime() }),
})

/** The identity and the capabilities of the node. */
export const nodeRoute = (identity: NodeIdentity, config: ServeConfig): Route => ({
  method: 'GET',
  path: '/node',
  access: 'open',
  handle: () =>
    json(200, {
      node_id: identity.nodeId,
      public_key: identity.publicKey,
      version: packageJson.version,
      engine: deviceEngineOf(config.engine),
      role: config.role,
      network: config.names.profile.network,
      url: config.nodeUrl,
      capabilities: capabilitiesOf(config),
    }),
})

export const metricsRoute = (metrics: Metrics): Route => ({
  method: 'GET',
  path: '/metrics',
  access: 'bearer',
  handle: () => ({
    status: 200,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: Buffer.from(metrics.text()),
  }),
})

export interface StatusParts extends Pick<NodeParts, 'identity' | 'log' | 'queue' | 'status'> {
  readonly config: ServeConfig
  readonly store: ServeStore
  readonly executions: ExecutionMetrics
  /** Null on a node that keeps no chunks. */
  readonly chunks: ChunkStore | null
  readonly uptime: () => number
}

/** Counts for everybody; for the operator also what goes on, and what the node was told. */
export const statusRoute = (parts: StatusParts): Route => ({
  method: 'GET',
  path: '/status',
  access: 'open',
  handle: ({ caller }) =>
    json(200, { ...redacted(parts), ...(caller.kind === 'operator' && details(parts)) }),
})

const redacted = ({ config, store, executions, uptime }: StatusParts) => ({
  status: 'ok',
  version: packageJson.version,
  uptime_secs: uptime(),
  engine: deviceEngineOf(config.engine),
  role: config.role,
  network: config.names.profile.network,
  counts: {
    modules: store.modules.count(),
    receipts: store.ledger.count(),
    votes: store.votes.count(),
    executions: executions.total(),
    ...(config.role === 'validator' && {
      sets: store.sets.count(),
      rounds: store.rounds.count().known,
      final_rounds: store.rounds.count().final,
      evidence: store.evidence.count(),
    }),
  },
})

const details = ({ config, identity, queue, store, chunks, status, log }: StatusParts) => ({
  node_id: identity.nodeId,
  queue: { running: queue.running, waiting: queue.waiting, workers: config.workers },
  storage: { database_bytes: store.size(), chunk_bytes: chunks?.usedBytes ?? 0 },
  peers: store.senders.all().map(({ publicKey, role, url }) => ({ public_key: publicKey, role, url })),
  ...Object.fromEntries([...status].map(([member, read]) => [member, read()])),
  last_errors: log.lastErrors(),
  config: withoutSecrets(config),
})

const bytesPerMebibyte = 1024 * 1024

/** The settings that the operator sees. URLs of chain nodes often hold keys, so only the host is shown. */
const withoutSecrets = (config: ServeConfig) => ({
  bind: `${config.bind.host}:${config.bind.port}`,
  data_dir: config.dataDir,
  hub_url: config.hubUrl,
  node_url: config.nodeUrl,
  network: config.names.profile.network,
  chain_id: config.names.profile.chain_id,
  chain_rpc: config.chainRpc === null ? null : new URL(config.chainRpc).host,
  params_changes: config.paramsChanges,
  validators_hash: config.validatorsHash,
  role: config.role,
  payout_address: config.payoutAddress,
  state_sync: config.stateSync,
  chunk_storage: config.chunkStorage,
  workers: config.workers,
  direct_gas: config.direct.gasMax,
  direct_share: config.direct.share * 100,
  direct_hours: config.direct.retention.seconds / 3600,
  direct_rounds: config.direct.retention.rounds,
  direct_storage: config.direct.retention.bytes / bytesPerMebibyte,
  disk_reserve: config.direct.diskReserveBytes / bytesPerMebibyte,
  clock: config.clock,
  log_format: config.logFormat,
  log_level: config.logLevel,
  api_token: config.apiToken === null ? 'none' : 'set',
})
