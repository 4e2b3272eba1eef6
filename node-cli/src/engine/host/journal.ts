import type { ExecutionEvent } from '../../../../protocol/execution/index.ts'
import { GuestFailure, type StateReader, type StorageWrite } from '../execution.ts'
import { limits } from '../limits.ts'

/**
 * The events and writes of one call so far. A call that succeeds adds them to those of its caller. A failed call
 * drops them, except for the number of bytes it wrote, which counts for the whole run.
 */
export class Journal {
  readonly events: ExecutionEvent[] = []
  readonly #writes = new Map<string, StorageWrite>()
  readonly #parent: Journal | null
  readonly #state: StateReader
  readonly #written: { bytes: number }

  constructor(state: StateReader, parent: Journal | null = null) {
    this.#state = state
    this.#parent = parent
    this.#written = parent === null ? { bytes: 0 } : parent.#written
  }

  get(address: string, key: string): Uint8Array | null {
    const write = this.#writes.get(`${address}/${key}`)
    if (write !== undefined) return write.value
    return this.#parent === null ? this.#state.stored(address, key) : this.#parent.get(address, key)
  }

  /** @throws {@link GuestFailure} past the bytes a run may write. */
  set(write: StorageWrite): void {
    this.#written.bytes += write.key.length / 2 + (write.value?.length ?? 0)
    if (this.#written.bytes > limits.storageWritten)
      throw new GuestFailure('trap: too much written to storage')
    this.#writes.set(`${write.address}/${write.key}`, write)
  }

  emit(event: ExecutionEvent): void {
    if (this.eventCount() >= limits.events) throw new GuestFailure('trap: too many events')
    this.events.push(event)
  }

  eventCount(): number {
    return this.events.length + (this.#parent === null ? 0 : this.#parent.eventCount())
  }

  /** Hands everything to the caller's frame. */
  commit(): void {
    if (this.#parent === null) return
    for (const event of this.events) this.#parent.events.push(event)
    for (const [key, write] of this.#writes) this.#parent.#writes.set(key, write)
  }

  writes(): StorageWrite[] {
    return [...this.#writes.values()]
  }
}
