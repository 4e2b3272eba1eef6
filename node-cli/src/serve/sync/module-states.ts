import type { BackgroundThread } from '../background/background-thread.ts'
import type { ServeStore } from '../store/index.ts'
import type { FoundPage, StatePlace, StateSummary } from './state-reader.ts'

/** The storage of this node's modules, as it is shown to peers. */
export class ModuleStates {
  readonly #store: ServeStore
  readonly #background: BackgroundThread
  readonly #roots = new Map<string, { readonly sequence: number; readonly root: string }>()

  /** @param background A thread that keeps nobody waiting: the storage of a module may be large. */
  constructor(store: ServeStore, background: BackgroundThread) {
    this.#store = store
    this.#background = background
  }

  /** Sequence and root of a module; the root is computed once for each sequence. */
  async root(address: string): Promise<{ readonly sequence: number; readonly root: string }> {
    const indexed = this.#store.stateIndex.root(address)
    if (indexed !== null) return indexed
    const known = this.#roots.get(address)
    if (known !== undefined && known.sequence === this.#store.modules.sequence(address)) return known
    const { sequence, state_root: root } = await this.summary(address)
    return { sequence, root }
  }

  async summary(address: string): Promise<StateSummary> {
    const bytes = this.#store.modules.storedBytes(address)
    const summary = await this.#background.runReading(bytes, 'stateSummary', this.#store.file, address)
    this.#roots.set(address, { sequence: summary.sequence, root: summary.state_root })
    return summary
  }

  page(address: string, sequence: number, place: StatePlace): Promise<FoundPage> {
    const bytes = this.#store.modules.storedBytes(address)
    return this.#background.runReading(bytes, 'statePage', this.#store.file, address, sequence, place)
  }

  close(): Promise<void> {
    return this.#background.close()
  }
}
