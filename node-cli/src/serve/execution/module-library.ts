import { type CallableModule, NodeFault } from '../../engine/index.ts'
import type { BackgroundThread } from '../background/background-thread.ts'
import type { ReadArtifact } from '../background/jobs.ts'
import type { ModuleStore } from '../store/modules.ts'

export interface LoadedModule extends CallableModule {
  /** It imports neither storage nor calls of other modules. */
  readonly stateless: boolean
  readonly usesStorage: boolean
}

export type AddedArtifact =
  | { readonly status: 'stored' | 'known' }
  | { readonly status: 'invalid'; readonly rule: string; readonly message: string }
  | { readonly status: 'other_address'; readonly address: string }

const keptBytesMax = 128 * 1024 * 1024

/** The modules of the node by address. Recently used modules are kept open. */
export class ModuleLibrary {
  readonly #store: ModuleStore
  readonly #background: BackgroundThread
  /** In order of use, the longest unused first. */
  readonly #open = new Map<string, LoadedModule>()
  readonly #opening = new Map<string, Promise<LoadedModule | null>>()
  #bytes = 0

  constructor(store: ModuleStore, background: BackgroundThread) {
    this.#store = store
    this.#background = background
  }

  /** @throws {@link NodeFault} for a module that was damaged since it was stored. */
  async find(address: string): Promise<LoadedModule | null> {
    const known = this.#open.get(address)
    if (known !== undefined) {
      this.#open.delete(address)
      this.#open.set(address, known)
      return known
    }
    const opening =
      this.#opening.get(address) ?? this.#load(address).finally(() => this.#opening.delete(address))
    this.#opening.set(address, opening)
    return opening
  }

  /** Checks an artifact and stores it. An artifact that is stored and undamaged stays as it is. */
  async add(address: string, hbc: Uint8Array): Promise<AddedArtifact> {
    const read = await this.#background.run('readArtifact', hbc)
    if (read.status === 'invalid') return read
    if (read.address !== address) return { status: 'other_address', address: read.address }
    if ((await this.findWhole(address)) !== null) return { status: 'known' }
    this.#store.keep(address, hbc)
    this.#keepOpen(address, read)
    return { status: 'stored' }
  }

  /** Null also for a module that was damaged since it was stored. */
  async findWhole(address: string): Promise<LoadedModule | null> {
    try {
      return await this.find(address)
    } catch (error) {
      if (error instanceof NodeFault) return null
      throw error
    }
  }

  async #load(address: string): Promise<LoadedModule | null> {
    const hbc = this.#store.artifact(address)
    if (hbc === null) return null
    const read = await this.#background.run('readArtifact', hbc)
    // A stored artifact is trusted no more than a received one: a run must not use another module.
    if (read.status === 'invalid' || read.address !== address)
      throw new NodeFault(`the module ${address} is damaged; store its artifact again to mend it`)
    return this.#keepOpen(address, read)
  }

  #keepOpen(address: string, read: Extract<ReadArtifact, { status: 'valid' }>): LoadedModule {
    const { wasm, functions, stateless, usesStorage } = read
    const module = { wasm, functions, stateless, usesStorage }
    if (!this.#open.has(address)) this.#bytes += wasm.length
    this.#open.set(address, module)
    for (const [oldest, { wasm: freed }] of this.#open) {
      if (this.#bytes <= keptBytesMax || oldest === address) break
      this.#open.delete(oldest)
      this.#bytes -= freed.length
    }
    return module
  }
}
