import type { DatabaseSync } from 'node:sqlite'
import { bytesToHex, hexToBytes } from '../../../../protocol/encoding/index.ts'
import {
  type BucketLeaves,
  type StateBucket,
  type StateEntry,
  type StateRoot,
  sortStateLeaves,
  stateRootOf,
} from '../../../../protocol/execution/index.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import { inSnapshot } from '../background/in-snapshot.ts'

/** The storage of a module at one sequence, without its values. */
export interface StateSummary {
  readonly sequence: number
  readonly state_root: string
  readonly entries: number
  readonly buckets: readonly StateBucket[]
}

/** A place in a store: an entry, counted within its bucket. */
export interface StatePlace {
  readonly bucket: number
  readonly index: number
}

/**
 * Consecutive entries of one bucket. `before` and `after` are the leaves of its other entries, so that a part of a bucket
 * can be checked against the hash of the whole.
 */
export interface PageBucket {
  readonly bucket: number
  readonly before: readonly string[]
  readonly entries: readonly { readonly key: string; readonly value_b64: string }[]
  readonly after: readonly string[]
}

export interface StatePage {
  readonly sequence: number
  readonly state_root: string
  /** Consecutive buckets of the store; all are whole, except possibly the first and the last. */
  readonly buckets: readonly PageBucket[]
}

export type FoundPage =
  | { readonly status: 'found'; readonly page: StatePage }
  /** The storage has changed since. */
  | { readonly status: 'moved'; readonly sequence: number }
  /** There is no such place. */
  | { readonly status: 'nothing' }

/** Bytes of keys and values in a page; the last entry may go beyond. */
export const pageBytes = 512 * 1024

interface StateIndex {
  readonly file: string
  readonly address: string
  readonly sequence: number
  readonly sorted: readonly BucketLeaves[]
  readonly root: StateRoot
}

/**
 * Reads the storage of modules, for peers that take it. Keys and leaves of the module that was asked for last are kept, so
 * that a page costs no more than the entries in it.
 */
export class StateReader {
  readonly #profile: Profile
  #last: StateIndex | null = null

  constructor(profile: Profile) {
    this.#profile = profile
  }

  summary(file: string, address: string): StateSummary {
    return inSnapshot(file, (db) => {
      const { sequence, root, sorted } = this.#index(db, file, address)
      const entries = sorted.reduce((sum, { leaves }) => sum + leaves.length, 0)
      return { sequence, state_root: root.root, entries, buckets: root.buckets }
    })
  }

  page(file: string, address: string, sequence: number, place: StatePlace): FoundPage {
    return inSnapshot(file, (db) => {
      const index = this.#index(db, file, address)
      if (index.sequence !== sequence) return { status: 'moved', sequence: index.sequence }
      const first = index.sorted.findIndex(({ bucket }) => bucket === place.bucket)
      const isThere = first >= 0 && place.index < index.sorted[first]!.leaves.length
      if (!isThere) return { status: 'nothing' }
      const buckets = [...fillPage(db, address, index.sorted.slice(first), place.index)]
      return { status: 'found', page: { sequence, state_root: index.root.root, buckets } }
    })
  }

  #index(db: DatabaseSync, file: string, address: string): StateIndex {
    const sequence = readSequence(db, address)
    const last = this.#last
    if (last !== null && last.file === file && last.address === address && last.sequence === sequence)
      return last
    this.#last = null
    const sorted = sortStateLeaves(readEntries(db, address))
    this.#last = { file, address, sequence, sorted, root: stateRootOf(this.#profile, sorted) }
    return this.#last
  }
}

export const readSequence = (db: DatabaseSync, address: string): number =>
  (
    db.prepare('SELECT sequence FROM sequences WHERE address = ?').get(address) as
      | { sequence: number }
      | undefined
  )?.sequence ?? 0

export function* readEntries(db: DatabaseSync, address: string): Generator<StateEntry> {
  const rows = db.prepare('SELECT key, value FROM storage WHERE address = ?').iterate(address)
  for (const { key, value } of rows as Iterable<{ key: string; value: Uint8Array }>)
    yield { key: hexToBytes(`0x${key}`), value }
}

function* fillPage(
  db: DatabaseSync,
  address: string,
  sorted: readonly BucketLeaves[],
  firstIndex: number,
): Generator<PageBucket> {
  const find = db.prepare('SELECT value FROM storage WHERE address = ? AND key = ?')
  let bytes = 0
  for (const [i, { bucket, leaves }] of sorted.entries()) {
    if (bytes >= pageBytes) return
    const from = i === 0 ? firstIndex : 0
    const entries: { key: string; value_b64: string }[] = []
    for (const { key } of leaves.slice(from)) {
      if (bytes >= pageBytes) break
      const { value } = find.get(address, key) as { value: Uint8Array }
      bytes += key.length / 2 + value.length
      entries.push({ key, value_b64: Buffer.from(value).toString('base64') })
    }
    const hashes = leaves.map(({ hash }) => bytesToHex(hash))
    const before = hashes.slice(0, from)
    yield { bucket, before, entries, after: hashes.slice(from + entries.length) }
  }
}
