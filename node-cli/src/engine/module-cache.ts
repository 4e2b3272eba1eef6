import { createHash } from 'node:crypto'

/**
 * Keeps what was made of the modules used last. They are told apart by their content, not by an address that nobody may
 * have verified, and they count by their bytes: what is made of a module is several times as large.
 */
export class ModuleCache<T> {
  readonly #bytesMax: number
  /** In order of use, the longest unused first. */
  readonly #kept = new Map<string, { readonly made: T; readonly bytes: number }>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** What was made of a module, or what `make` makes of it; where that throws nothing is kept. */
  get(wasm: Uint8Array, make: () => T): T {
    const key = keyOf(wasm)
    const known = this.#kept.get(key)
    if (known !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known.made
    }
    const made = make()
    this.#kept.set(key, { made, bytes: wasm.length })
    this.#bytes += wasm.length
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#bytesMax || oldest === key) break
      this.#kept.delete(oldest)
      this.#bytes -= bytes
    }
    return made
  }
}

/** One run may call a module thousands of times, always with the same bytes. */
const keys = new WeakMap<Uint8Array, string>()

function keyOf(wasm: Uint8Array): string {
  const known = keys.get(wasm)
  if (known !== undefined) return known
  const key = createHash('sha256').update(wasm).digest('base64')
  keys.set(wasm, key)
  return key
}
