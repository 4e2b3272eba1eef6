import type { NetworkParams, Profile } from '../../../protocol/identity/index.ts'
import type { BackgroundThread } from './background/background-thread.ts'
import type { ChunkStore } from './chunks/chunk-store.ts'
import type { AdjustableClock } from './clock.ts'
import type { ServeConfig } from './config.ts'
import type { ExecutionMetrics } from './execution/execution-metrics.ts'
import type { ExecutionQueue } from './execution/execution-queue.ts'
import type { Executor } from './execution/executor.ts'
import type { ModuleChanges } from './execution/module-changes.ts'
import type { ModuleLibrary } from './execution/module-library.ts'
import type { GenerationFollower } from './generations/follower.ts'
import type { Generations } from './generations/generations.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { ServeStore } from './store/index.ts'
import type { ModuleStates } from './sync/module-states.ts'

/** Everything the parts of a serving node share. `serve.ts` makes it. */
export interface ServeNode {
  readonly config: ServeConfig
  /** The names of the network that the node was told. */
  readonly profile: Profile
  readonly identity: NodeIdentity
  /** The ed25519 seed of the node, `0x` and 64 hex digits. It signs, and never leaves the process. */
  readonly seed: string
  /** Follows the hub where the node was told so, and is the machine's else. */
  readonly clock: AdjustableClock
  /** The parameters of the network. */
  readonly params: () => NetworkParams
  readonly log: Log
  readonly metrics: Metrics
  readonly store: ServeStore
  readonly background: BackgroundThread
  /** For what is no work of rounds. */
  readonly directBackground: BackgroundThread
  readonly library: ModuleLibrary
  readonly queue: ExecutionQueue
  readonly executor: Executor
  /** What runs make of storage. */
  readonly changes: ModuleChanges
  readonly executions: ExecutionMetrics
  /** Who validates, and from when on. */
  readonly generations: Generations
  /** Follows them, and keeps whose calls are taken; null without a hub. */
  readonly generationFollower: GenerationFollower | null
  /** What modules store here, as peers are told. */
  readonly states: ModuleStates
  /** Whether modules and storage are still being taken from peers: no run sees them before they are whole. */
  readonly isSyncing: () => boolean
  /** Null on a node that keeps no chunks. */
  readonly chunks: ChunkStore | null
  /** What further parts say in the full `GET /status`, by member. */
  readonly status: Map<string, () => unknown>
  /** Seconds since the start. */
  readonly uptime: () => number
}

export interface NodeIdentity {
  readonly nodeId: string
  readonly publicKey: string
}

/** How modules run here, as it is told to the hub. */
export type DeviceEngine = 'native' | 'pulley64' | 'pulley32'

/** A part of the node that works by itself. Parts start in order and stop in the other one. */
export interface Part {
  readonly start: () => void | Promise<void>
  readonly stop: () => void | Promise<void>
}
