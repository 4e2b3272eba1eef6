/** The values of an object, read from its storage once: nobody else writes there while the object is in memory. */
export class KeptValues {
  readonly #kv: SyncKvStorage
  readonly #read = new Map<string, unknown>()

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  get<T>(name: string): T | undefined {
    if (!this.#read.has(name)) this.#read.set(name, this.#kv.get(name))
    return this.#read.get(name) as T | undefined
  }

  put(name: string, value: unknown): void {
    this.#kv.put(name, value)
    this.#read.set(name, value)
  }

  delete(name: string): void {
    if (this.get(name) === undefined) return
    this.#kv.delete(name)
    this.#read.set(name, undefined)
  }
}
