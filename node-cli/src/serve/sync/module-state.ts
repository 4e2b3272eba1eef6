import {
  base64ToBytes,
  hexToBytes,
  isBytes32,
  isObject,
  isUnsigned,
} from '../../../../protocol/encoding/index.ts'
import {
  hashStateBucket,
  hashStateBuckets,
  hashStateLeaf,
  type StateBucket,
  stateBucket,
} from '../../../../protocol/execution/index.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import { limits } from '../../engine/index.ts'
import { PeerError } from '../peers/peer-client.ts'
import { pageBytes, type StatePlace } from './state-reader.ts'

/** The storage of a module at one sequence, whose root a majority vouches for. */
export interface StateTarget {
  readonly address: string
  readonly sequence: number
  readonly state_root: string
}

/** The buckets that a root is made of, ascending. */
export interface ProvenState extends StateTarget {
  readonly buckets: readonly StateBucket[]
}

export interface ProvenEntry {
  /** Hex digits, without `0x`. */
  readonly key: string
  readonly value: Uint8Array
}

/** Entries that were checked against the hash of their bucket. */
export interface ProvenBucket {
  readonly bucket: number
  readonly hash: string
  /** Place of the first entry in the bucket. */
  readonly index: number
  readonly entries: readonly ProvenEntry[]
  /** Whether these are the last ones of the bucket. */
  readonly isEnd: boolean
}

/** The most buckets there are. */
const bucketsMax = 4096
/** No peer sends less at once, so that the number of pages is bounded by what the module stores. */
const pageBytesMin = pageBytes / 2

/** Reads the buckets of a module, and checks them against its root. @throws {@link PeerError} */
export function readBuckets(profile: Profile, answer: unknown, target: StateTarget): ProvenState {
  requireTarget(answer, target)
  const { buckets } = answer as { buckets: unknown }
  if (!Array.isArray(buckets) || buckets.length > bucketsMax || !buckets.every(isBucket))
    throw new PeerError('it lists no buckets')
  if (buckets.some(([bucket], i) => i > 0 && buckets[i - 1]![0] >= bucket))
    throw new PeerError('its buckets do not ascend')
  if (hashStateBuckets(profile, buckets) !== target.state_root)
    throw new PeerError('its buckets do not make up the root')
  return { ...target, buckets }
}

const isBucket = (value: unknown): value is StateBucket =>
  Array.isArray(value) &&
  value.length === 2 &&
  isUnsigned(value[0]) &&
  value[0] < bucketsMax &&
  isBytes32(value[1])

/**
 * Reads a page, and checks every entry against the root: each bucket must have the hash that the root has for it, and the
 * first entry be the one that was asked for. @throws {@link PeerError}
 */
export function readPage(answer: unknown, state: ProvenState, place: StatePlace): readonly ProvenBucket[] {
  requireTarget(answer, state)
  const { buckets } = answer as { buckets: unknown }
  const wanted = state.buckets.slice(state.buckets.findIndex(([bucket]) => bucket === place.bucket))
  if (!Array.isArray(buckets) || buckets.length === 0 || buckets.length > wanted.length)
    throw new PeerError('its page has no buckets, or too many')
  const proven = buckets.map((value, i) => readPageBucket(value, wanted[i]!, i === 0 ? place.index : 0))
  if (proven.slice(0, -1).some(({ isEnd }) => !isEnd))
    throw new PeerError('its page leaves out the rest of a bucket')
  const isLast = proven.length === wanted.length && proven.at(-1)!.isEnd
  if (!isLast && bytesOf(proven) < pageBytesMin) throw new PeerError('its pages are too small')
  return proven
}

function requireTarget(answer: unknown, { sequence, state_root }: StateTarget): void {
  if (!isObject(answer) || answer.sequence !== sequence || answer.state_root !== state_root)
    throw new PeerError('it answers for another state than it was asked for')
}

function readPageBucket(value: unknown, [bucket, hash]: StateBucket, index: number): ProvenBucket {
  if (!isObject(value) || value.bucket !== bucket) throw new PeerError('its page has another bucket')
  const before = readLeaves(value.before)
  const after = readLeaves(value.after)
  if (before.length !== index) throw new PeerError('its page begins in another place')
  if (!Array.isArray(value.entries) || value.entries.length === 0)
    throw new PeerError('its page has a bucket without entries')
  const entries = value.entries.map(readEntry)
  requireOrder(entries, bucket)
  const leaves = entries.map(({ key, value }) =>
    hexToBytes(hashStateLeaf({ key: hexToBytes(`0x${key}`), value })),
  )
  if (hashStateBucket([...before, ...leaves, ...after]) !== hash)
    throw new PeerError('its entries do not make up their bucket')
  return { bucket, hash, index, entries, isEnd: after.length === 0 }
}

function readLeaves(value: unknown): Uint8Array[] {
  if (!Array.isArray(value) || !value.every(isBytes32)) throw new PeerError('its page lists no leaves')
  return value.map((leaf) => hexToBytes(leaf))
}

function readEntry(value: unknown): ProvenEntry {
  const { key, value_b64: text } = (value ?? {}) as { key: unknown; value_b64: unknown }
  const isKey =
    typeof key === 'string' && /^(?:[0-9a-f]{2})*$/.test(key) && key.length <= 2 * limits.storageKey
  const bytes = typeof text === 'string' ? base64ToBytes(text) : null
  if (!isKey || bytes === null || bytes.length > limits.storageValue)
    throw new PeerError('its page has an entry that no module stores')
  return { key, value: bytes }
}

/** Checks what the hash of a bucket does not prove: that the keys belong there, and are in order. */
function requireOrder(entries: readonly ProvenEntry[], bucket: number): void {
  const isInOrder = entries.every(({ key }, i) => i === 0 || entries[i - 1]!.key < key)
  if (!isInOrder || entries.some(({ key }) => stateBucket(hexToBytes(`0x${key}`)) !== bucket))
    throw new PeerError('its page has entries out of their place')
}

const bytesOf = (buckets: readonly ProvenBucket[]): number =>
  buckets
    .flatMap(({ entries }) => entries)
    .reduce((sum, { key, value }) => sum + key.length / 2 + value.length, 0)
