/**
 * The alarm of an object. Setting it costs a row, so an alarm that comes in time is left as it is. An alarm that comes too early
 * finds nothing to do, and has to be set again.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage
  /** When it comes, in milliseconds; null for none, undefined until that was looked up. */
  #atMs: number | null | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** When it comes or should have come; null if that is not known here. */
  get atMs(): number | null {
    return this.#atMs ?? null
  }

  /** Has it come at a time, or sooner. */
  async by(atMs: number): Promise<void> {
    if (this.#atMs === undefined) {
      const stored = await this.#storage.getAlarm()
      // It may have been set meanwhile.
      if (this.#atMs === undefined) this.#atMs = stored
    }
    if (this.#atMs !== null && this.#atMs <= atMs) return
    this.#atMs = atMs
    await this.#storage.setAlarm(atMs)
  }

  /** Sets it where the storage has none, whatever was known of it: one that was lost comes again. */
  async revive(atMs: number): Promise<void> {
    this.#atMs = await this.#storage.getAlarm()
    if (this.#atMs === null) await this.by(atMs)
  }

  /** The alarm has come, or everything was deleted. No alarm exists until the next one is set. */
  gone(): void {
    this.#atMs = null
  }
}
