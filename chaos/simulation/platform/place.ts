import { Disk, type ObjectStorage } from './object-storage.ts'
import type { ServerSocket } from './sockets.ts'

/** An object in memory. */
export interface Instance {
  readonly object: Record<string, (...args: unknown[]) => Promise<unknown>>
  readonly storage: ObjectStorage
  isAlive: boolean
  /** Called when the process ends, by those that wait for it. */
  readonly mourners: Set<() => void>
  /** Messages that wait for an earlier write to become durable. */
  held: (() => void)[]
}

/** An object by class and name: its process, if it has one, and the state that outlives it. */
export interface Place {
  readonly className: string
  readonly name: string
  readonly disk: Disk
  readonly sockets: Set<ServerSocket>
  downUntilMs: number
  instance: Instance | null
  /** The time of the alarm that is scheduled. */
  alarmMs: number | null
  /** Alarms of an object follow each other. */
  ringing: Promise<void>
}

export const newPlace = (className: string, name: string): Place => ({
  className,
  name,
  disk: new Disk(),
  sockets: new Set(),
  downUntilMs: 0,
  instance: null,
  alarmMs: null,
  ringing: Promise.resolve(),
})

/** Whether nothing is stored, and nothing is under way. */
export const isIdle = ({ disk, sockets, alarmMs, instance }: Place): boolean =>
  disk.isEmpty &&
  sockets.size === 0 &&
  alarmMs === null &&
  (instance === null || (instance.mourners.size === 0 && !instance.storage.isDirty))
