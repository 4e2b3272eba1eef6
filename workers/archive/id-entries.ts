import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes } from '../../protocol/encoding/index.ts'

/**
 * Entries of the index from ids to rounds: fixed-width records in the order of their bytes. An id has its newest rounds first.
 *
 * | offset | bytes | field                                                       |
 * | ------ | ----- | ----------------------------------------------------------- |
 * | 0      | 16    | beginning of the id, or of its SHA-256 if it is not a hash   |
 * | 16     | 4     | 2³² − 1 less the second in which the round began, big-endian |
 * | 20     | 32    | hash part of the id of the round                            |
 */
export const entryBytes = 52
const keyBytes = 16
const hashBytes = 32
/** Rounds of one id that are kept; equal runs have one receipt, and a route names as many of them. */
export const roundsOfId = 100

const hashPattern = /^0x[0-9a-f]{64}$/
const prefix = 'task:'

/** The bytes that every entry of an id begins with. */
export const keyOf = (id: string): Uint8Array =>
  (hashPattern.test(id) ? hexToBytes(id) : sha256(id)).subarray(0, keyBytes)

export function encodeEntry(id: string, roundId: string, issuedAt: number): Uint8Array {
  const entry = new Uint8Array(entryBytes)
  entry.set(keyOf(id))
  new DataView(entry.buffer).setUint32(keyBytes, 0xffff_ffff - issuedAt)
  entry.set(hexToBytes(roundId.slice(prefix.length)), entryBytes - hashBytes)
  return entry
}

/** The partition of an entry, of 4,096. */
export const partitionOf = (entry: Uint8Array): number =>
  ((entry[0] as number) << 4) | ((entry[1] as number) >> 4)

export const partitions = 4_096

export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length)
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return (one[i] as number) - (other[i] as number)
  return one.length - other.length
}

/** The entries of a file, each a view of its bytes. */
export function* entriesIn(file: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at + entryBytes <= file.length; at += entryBytes) yield file.subarray(at, at + entryBytes)
}

/** Joins sorted entries: each once, and of an id its newest. The order in which files are merged, and how often, changes nothing. */
export function mergeEntries(file: Uint8Array, added: readonly Uint8Array[]): Uint8Array {
  const merged = new Uint8Array(file.length + added.length * entryBytes)
  let length = 0
  let last: Uint8Array | null = null
  let ofKey = 0
  const keep = (entry: Uint8Array) => {
    const isSameKey =
      last !== null && compareBytes(last.subarray(0, keyBytes), entry.subarray(0, keyBytes)) === 0
    if (isSameKey && compareBytes(last as Uint8Array, entry) === 0) return
    ofKey = isSameKey ? ofKey + 1 : 1
    if (ofKey > roundsOfId) return
    merged.set(entry, length)
    last = merged.subarray(length, length + entryBytes)
    length += entryBytes
  }
  let next = 0
  for (const entry of entriesIn(file)) {
    while (next < added.length && compareBytes(added[next] as Uint8Array, entry) < 0)
      keep(added[next++] as Uint8Array)
    keep(entry)
  }
  while (next < added.length) keep(added[next++] as Uint8Array)
  return merged.subarray(0, length)
}

export interface FoundRound {
  roundId: string
  issuedAt: number
}

/** The rounds of an id in sorted entries, newest first. */
export function findEntries(file: Uint8Array, key: Uint8Array): FoundRound[] {
  const found: FoundRound[] = []
  for (const entry of entriesIn(file)) {
    const order = compareBytes(entry.subarray(0, keyBytes), key)
    if (order > 0) break
    if (order < 0) continue
    const { buffer, byteOffset } = entry
    found.push({
      roundId: `${prefix}${bytesToHex(entry.subarray(entryBytes - hashBytes))}`,
      issuedAt: 0xffff_ffff - new DataView(buffer, byteOffset).getUint32(keyBytes),
    })
  }
  return found
}

/** Whether all entries of a key that a file has are in a piece of it: the piece goes beyond the key on both sides, or to the end of the file. */
export function sideOf(
  piece: Uint8Array,
  key: Uint8Array,
  isFirst: boolean,
  isLast: boolean,
): 'within' | 'before' | 'after' {
  const first = piece.subarray(0, keyBytes)
  const last = piece.subarray(piece.length - entryBytes, piece.length - entryBytes + keyBytes)
  if (!isFirst && compareBytes(key, first) <= 0) return 'before'
  if (!isLast && compareBytes(key, last) >= 0) return 'after'
  return 'within'
}
