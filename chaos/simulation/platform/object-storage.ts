import type { SQLInputValue } from 'node:sqlite'
import { cloneOf } from './clone.ts'
import { isRead, ObjectSql } from './object-sql.ts'

/** Thrown to code of a process that has ended. Nothing follows from it. */
export class Gone extends Error {
  override readonly name = 'Gone'
}

/** The durable data of an object. It outlives the process of the object. */
export class Disk {
  readonly values = new Map<string, unknown>()
  alarmMs: number | null = null
  readonly sql = new ObjectSql()

  get isEmpty(): boolean {
    return this.values.size === 0 && !this.sql.isUsed && this.alarmMs === null
  }

  clear(): void {
    this.values.clear()
    this.sql.clear()
    this.alarmMs = null
  }
}

export const crashes = ['before', 'after', 'said'] as const
type Crash = (typeof crashes)[number]

export interface StorageHooks {
  /** Whether the process of the object still runs; what an ended one does comes to nothing. */
  readonly isAlive: () => boolean
  /** Whether the process ends when what was written becomes durable: before it, after it, or after what was said meanwhile went out. */
  readonly crashAtCommit: () => Crash | null
  readonly crash: () => void
  /** Runs something as soon as the disk has had its time. */
  readonly later: (run: () => void) => void
  /** It is durable now. */
  readonly committed: () => void
  /** Messages that were held meanwhile may go out. */
  readonly release: () => void
}

const deleted = Symbol('deleted')

/**
 * The storage of a Durable Object, as far as the hub's objects use it. Writes within a few milliseconds become durable
 * together or not at all, and messages that the object sends meanwhile wait until then.
 */
export class ObjectStorage {
  readonly #disk: Disk
  readonly #hooks: StorageHooks
  readonly #written = new Map<string, unknown>()
  #alarm: number | null | undefined
  #isSqlOpen = false
  #isDeletingAll = false
  #isDirty = false

  constructor(disk: Disk, hooks: StorageHooks) {
    this.#disk = disk
    this.#hooks = hooks
  }

  /** Whether something waits to become durable. */
  get isDirty(): boolean {
    return this.#isDirty
  }

  readonly kv = {
    get: (key: string): unknown => {
      const value = this.#written.has(key)
        ? this.#written.get(key)
        : this.#isDeletingAll
          ? deleted
          : this.#disk.values.get(key)
      return value === deleted ? undefined : cloneOf(value)
    },
    put: (key: string, value: unknown): void => {
      this.#requireAlive()
      this.#written.set(key, cloneOf(value))
      this.#touch()
    },
    delete: (key: string): void => {
      this.#requireAlive()
      this.#written.set(key, deleted)
      this.#touch()
    },
  }

  readonly sql = {
    exec: (text: string, ...values: SQLInputValue[]) => {
      this.#requireAlive()
      if (!isRead(text)) this.#beginSql()
      const rows = this.#disk.sql.exec(text, values)
      return { toArray: () => rows, one: () => rows[0] }
    },
  }

  transactionSync<T>(run: () => T): T {
    this.#requireAlive()
    this.#beginSql()
    return this.#disk.sql.inner(run)
  }

  async getAlarm(): Promise<number | null> {
    return this.#alarm === undefined ? this.#disk.alarmMs : this.#alarm
  }

  async setAlarm(atMs: number): Promise<void> {
    this.#requireAlive()
    this.#alarm = atMs
    this.#touch()
  }

  async deleteAlarm(): Promise<void> {
    this.#requireAlive()
    this.#alarm = null
    this.#touch()
  }

  async deleteAll(): Promise<void> {
    this.#requireAlive()
    this.#written.clear()
    this.#isDeletingAll = true
    this.#alarm = null
    this.#touch()
  }

  /** Discards writes that are not durable yet: the process has ended. */
  abandon(): void {
    if (this.#isSqlOpen) this.#disk.sql.rollback()
    this.#reset()
  }

  #requireAlive(): void {
    if (!this.#hooks.isAlive()) throw new Gone('the process of this object has ended')
  }

  #beginSql(): void {
    if (this.#isSqlOpen) return
    this.#disk.sql.begin()
    this.#isSqlOpen = true
    this.#touch()
  }

  #touch(): void {
    if (this.#isDirty) return
    this.#isDirty = true
    this.#hooks.later(() => this.#commit())
  }

  #commit(): void {
    if (!this.#isDirty) return
    const crash = this.#hooks.crashAtCommit()
    if (crash === 'before') return this.#hooks.crash()
    if (this.#isSqlOpen) this.#disk.sql.commit()
    if (this.#isDeletingAll) this.#disk.clear()
    for (const [key, value] of this.#written)
      if (value === deleted) this.#disk.values.delete(key)
      else this.#disk.values.set(key, value)
    if (this.#alarm !== undefined) this.#disk.alarmMs = this.#alarm
    this.#reset()
    this.#hooks.committed()
    if (crash === 'after') return this.#hooks.crash()
    this.#hooks.release()
    if (crash === 'said') this.#hooks.crash()
  }

  #reset(): void {
    this.#written.clear()
    this.#alarm = undefined
    this.#isSqlOpen = false
    this.#isDeletingAll = false
    this.#isDirty = false
  }
}
