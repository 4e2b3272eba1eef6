import { inTime } from '../deadline.ts'
import { unavailable } from '../errors.ts'

/** How long the bucket has for an answer. */
interface FileLimits {
  readMs?: number
  writeMs?: number
}

/** Files of one kind in a bucket, which answers 503 when it fails or is not in time. */
export class Files {
  readonly #bucket: R2Bucket
  readonly #folder: string
  readonly #name: string
  readonly #limits: Required<FileLimits>
  /** @param name - The subject of the 503 message. @param limits - For a kind whose largest file takes longer than most. */
  constructor(
    bucket: R2Bucket,
    folder: string,
    name: string,
    { readMs = 10_000, writeMs = 20_000 }: FileLimits = {},
  ) {
    this.#bucket = bucket
    this.#folder = folder
    this.#name = name
    this.#limits = { readMs, writeMs }
  }

  async put(key: string, bytes: Uint8Array | string, options: R2PutOptions = {}): Promise<void> {
    await this.#ask((bucket) => bucket.put(this.#path(key), bytes, options), this.#limits.writeMs)
  }

  /** Writes a file unless its key exists. @returns Whether this one is there now. */
  async putNew(key: string, text: string): Promise<boolean> {
    const onlyIf = new Headers({ 'If-None-Match': '*' })
    const put = await this.#ask(
      (bucket) => bucket.put(this.#path(key), text, { onlyIf }),
      this.#limits.writeMs,
    )
    return put !== null
  }

  /** Writes a file in pieces: handed over whole, it would be copied whole. */
  async putPieces(
    key: string,
    pieces: Iterable<Uint8Array>,
    bytes: number,
    options: R2PutOptions = {},
  ): Promise<void> {
    const { readable, writable } = new FixedLengthStream(bytes)
    const write = async () => {
      const writer = writable.getWriter()
      for (const piece of pieces) await writer.write(piece)
      await writer.close()
    }
    await this.#ask(
      (bucket) => Promise.all([bucket.put(this.#path(key), readable, options), write()]),
      this.#limits.writeMs,
    )
  }

  /** A file that a record names. */
  async open(key: string, options: R2GetOptions = {}): Promise<R2ObjectBody> {
    const object = await this.#ask((bucket) => bucket.get(this.#path(key), options))
    if (object === null) throw unavailable(this.#name, new Error(`no object ${this.#path(key)}`))
    return object
  }

  /** The bytes of a file that a record names. */
  async bytes(key: string, options: R2GetOptions = {}): Promise<Uint8Array> {
    const object = await this.open(key, options)
    return new Uint8Array(await this.#ask(() => object.arrayBuffer()))
  }

  async text(key: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(key))
  }

  /** Null if no such file is kept. */
  async find(key: string): Promise<Uint8Array | null> {
    const object = await this.#ask((bucket) => bucket.get(this.#path(key)))
    return object && new Uint8Array(await this.#ask(() => object.arrayBuffer()))
  }

  async has(key: string): Promise<boolean> {
    return (await this.#ask((bucket) => bucket.head(this.#path(key)))) !== null
  }

  /** Up to 1,000 of its files, in the order of their keys, which begin with the folder. */
  async list(options: R2ListOptions): Promise<R2Objects> {
    return this.#ask((bucket) => bucket.list(options))
  }

  /** At most 1,000 at once. */
  async remove(keys: readonly string[]): Promise<void> {
    await this.#ask((bucket) => bucket.delete(keys.map((key) => this.#path(key))))
  }

  #path(key: string): string {
    return `${this.#folder}/${key}`
  }

  async #ask<T>(ask: (bucket: R2Bucket) => Promise<T>, msMax = this.#limits.readMs): Promise<T> {
    try {
      return await inTime(ask(this.#bucket), msMax)
    } catch (error) {
      throw unavailable(this.#name, error)
    }
  }
}
