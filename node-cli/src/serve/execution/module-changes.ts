import type { StorageWrite } from '../../engine/index.ts'
import type { BackgroundThread } from '../background/background-thread.ts'
import type { ServeStore } from '../store/index.ts'
import type { IndexedRoot, ModuleChange } from '../store/state-index.ts'

/**
 * Finds out what runs make of the storage of modules, and writes it with its index. Everything but `apply` takes time, so
 * the caller keeps other runs from the storage meanwhile.
 */
export class ModuleChanges {
  readonly #store: ServeStore
  readonly #background: BackgroundThread

  constructor(store: ServeStore, background: BackgroundThread) {
    this.#store = store
    this.#background = background
  }

  /** Sequence and root of a module. Only an index that is of other storage is rebuilt. */
  async root(address: string): Promise<IndexedRoot> {
    const { stateIndex, modules, file } = this.#store
    const known = stateIndex.root(address)
    if (known !== null) return known
    const bytes = modules.storedBytes(address)
    const index = await this.#background.runReading(bytes, 'computeStateIndex', file, address)
    await stateIndex.replace(address, index)
    return { sequence: index.sequence, root: index.root }
  }

  /** The change of each written module, ascending by address; modules in `besides` are included even if nothing changes. */
  async of(writes: readonly StorageWrite[], besides: readonly string[]): Promise<ModuleChange[]> {
    const written = Map.groupBy(writes, ({ address }) => address)
    const addresses = [...new Set([...besides, ...written.keys()])].sort()
    const changes: ModuleChange[] = []
    for (const address of addresses) changes.push(await this.#ofModule(address, written.get(address) ?? []))
    return changes
  }

  /** Within the transaction of what the run leaves. */
  apply(changes: readonly ModuleChange[]): void {
    for (const { transition, writes, index } of changes) {
      if (index === null) continue
      this.#store.writeStorage(writes)
      this.#store.stateIndex.apply(transition.module_address, index)
    }
  }

  async #ofModule(address: string, writes: readonly StorageWrite[]): Promise<ModuleChange> {
    const { file, modules } = this.#store
    const pre = await this.root(address)
    const bytes = modules.storedBytes(address)
    const index =
      writes.length === 0
        ? null
        : await this.#background.runReading(bytes, 'computeIndexChange', file, address, writes)
    const post = index ?? pre
    return {
      transition: {
        module_address: address,
        pre_root: pre.root,
        pre_seq: pre.sequence,
        post_root: post.root,
        post_seq: post.sequence,
      },
      writes,
      index,
    }
  }
}
