import { once } from 'node:events'
import type { FixedParams, ParamsSchedule } from '../../../protocol/identity/index.ts'
import type { BackgroundThread } from './background/background-thread.ts'
import type { Clock } from './clock.ts'
import type { ExecutionQueue } from './execution/execution-queue.ts'
import type { ModuleChanges } from './execution/module-changes.ts'
import type { ModuleLibrary } from './execution/module-library.ts'
import type { Generations } from './generations/generations.ts'
import { repeat, waitUnreferenced } from './hub/repeat.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { NodeKey } from './node-key.ts'
import type { ServeStore } from './store/index.ts'

/** A part of the node that works by itself. Parts start in order, and stop in the opposite order. */
export interface Part {
  readonly start: () => void | Promise<void>
  readonly stop: () => void | Promise<void>
}

/** The members of the full `GET /status` that parts supply, by name. */
export type StatusMembers = Map<string, () => unknown>

/** The components that the parts of a node share. */
export interface NodeParts extends NodeKey {
  /** The parameters that never change. */
  readonly params: () => FixedParams
  /** All of them, with the changes that this node knows. */
  readonly paramsSchedule: ParamsSchedule
  readonly clock: Clock
  readonly background: BackgroundThread
  /** For work that is not for rounds of tasks: neither waits for the other. */
  readonly directBackground: BackgroundThread
  readonly generations: Generations
  readonly library: ModuleLibrary
  readonly queue: ExecutionQueue
  readonly changes: ModuleChanges
  /** Whether modules and storage are still being taken from peers: no run sees them before they are whole. */
  readonly isSyncing: () => boolean
  readonly log: Log
  readonly metrics: Metrics
  readonly status: StatusMembers
}

/** The members of a node, and the tables of its store, that one of its parts uses. */
export type Uses<Member extends keyof NodeParts, Table extends keyof ServeStore> = Pick<NodeParts, Member> & {
  readonly store: Pick<ServeStore, Table>
}

/** Waits for something that another part does, or until this one is told to stop. */
export async function unlessStopped(event: Promise<void>, stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await Promise.race([event, once(stop, 'abort')])
}

/** A part that does something again and again until the node stops. @param work gives the seconds to wait; it throws nothing. */
export function repeatingPart(work: () => Promise<number>, stopping: AbortController): Part {
  let running: Promise<void> = Promise.resolve()
  return {
    start: () => {
      running = repeat(work, stopping.signal, waitUnreferenced)
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
