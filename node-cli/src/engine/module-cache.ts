/** A module, and the value made from it. */
interface Kept<T> {
  readonly wasm: Uint8Array
  readonly made: T
}

/** Small modules cost more than their bytes. */
const modulesMax = 256

/**
 * Keeps the values made from the modules used last. Modules are told apart by their bytes, not by an address that may
 * not be verified, and are counted by them too: a value is several times as large as its module.
 */
export class ModuleCache<T> {
  readonly #bytesMax: number
  /** In order of use, the longest unused first. */
  readonly #kept: Kept<T>[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The kept value of a module, else the result of `make`; if that throws, nothing is kept. */
  get(wasm: Uint8Array, make: () => T): T {
    const last = this.#kept.at(-1)
    // One run may call a module thousands of times, always with the same bytes.
    if (last?.wasm === wasm) return last.made
    const at = this.#kept.findIndex((one) => sameBytes(one.wasm, wasm))
    const [known] = at < 0 ? [] : this.#kept.splice(at, 1)
    const one = { wasm, made: known === undefined ? make() : known.made }
    this.#kept.push(one)
    if (known === undefined) this.#bytes += wasm.length
    while (this.#kept.length > 1 && (this.#bytes > this.#bytesMax || this.#kept.length > modulesMax))
      this.#bytes -= this.#kept.shift()!.wasm.length
    return one.made
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a === b || (a.length === b.length && Buffer.compare(a, b) === 0)
