import { unavailable } from '../errors.ts'
import { askBucket } from './bucket.ts'
import {
  compareBytes,
  entryBytes,
  type FoundRound,
  findEntries,
  keyOf,
  mergeEntries,
  partitionOf,
  sideOf,
} from './id-entries.ts'

/** The bytes that a look-up reads first: keys are hashes, so the place of a key is known to within a few hundred entries. */
const windowBytes = 1_260 * entryBytes
/** Partitions that are merged at once. */
const atOnce = 4

const pathOf = (partition: number): string => `archive/ids/${partition.toString(16).padStart(3, '0')}`

/** The index in the bucket from ids to rounds in archives: one file for each beginning of an id. */
export class IdIndex {
  readonly #bucket: R2Bucket
  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /** The rounds of an id, newest first. The index has only the beginning of the id, so callers compare it with the record of the round. */
  async find(id: string): Promise<FoundRound[]> {
    const key = keyOf(id)
    const path = pathOf(partitionOf(key))
    const head = await askBucket(this.#bucket.head(path))
    if (head === null) return []
    const share =
      (((key[1] as number) & 15) * 0x1_00_00 + (key[2] as number) * 0x1_00 + (key[3] as number)) / 0x10_00_00
    let from = Math.max(0, aligned(share * head.size - windowBytes / 2))
    let length = windowBytes
    for (;;) {
      const piece = await askBucket(this.#read(path, from, length))
      // The file may have grown since.
      const side = sideOf(piece.bytes, key, from === 0, from + piece.bytes.length >= piece.size)
      if (side === 'within') return findEntries(piece.bytes, key)
      length *= 2
      from =
        side === 'before' ? Math.max(0, from - length + entryBytes * 2) : from + length / 2 - entryBytes * 2
    }
  }

  async #read(path: string, offset: number, length: number) {
    const object = await this.#bucket.get(path, { range: { offset, length } })
    if (object === null) throw new Error(`no object ${path}`)
    return { bytes: new Uint8Array(await object.arrayBuffer()), size: object.size }
  }

  /** Adds entries of some partitions. Doing so again changes nothing. */
  async add(entries: Iterable<Uint8Array>): Promise<void> {
    const groups = Map.groupBy(entries, partitionOf)
    const next = groups.entries()
    const mergeSome = async () => {
      for (const [partition, added] of next) await this.#merge(partition, added.sort(compareBytes))
    }
    await Promise.all(Array.from({ length: atOnce }, mergeSome))
  }

  async #merge(partition: number, added: readonly Uint8Array[]): Promise<void> {
    const path = pathOf(partition)
    const before = await askBucket(this.#bucket.get(path))
    const bytes = before === null ? new Uint8Array() : new Uint8Array(await askBucket(before.arrayBuffer()))
    const merged = mergeEntries(bytes, added)
    if (merged.length === bytes.length && compareBytes(merged, bytes) === 0) return
    // Another copy of the object may have been here meanwhile.
    const onlyIf = before === null ? new Headers({ 'If-None-Match': '*' }) : { etagMatches: before.etag }
    const put = await askBucket(this.#bucket.put(path, merged, { onlyIf }))
    if (put === null) throw unavailable('The index of archives', new Error(`${path} was changed meanwhile`))
  }
}

const aligned = (at: number): number => Math.floor(at / entryBytes) * entryBytes
