import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex, encodeCanonicalJson, type Hex, utf8 } from '../encoding/index.ts'
import type { Snapshot, SnapshotEntry } from './snapshot.ts'
import type { SnapshotPlace } from './snapshot-build.ts'

/** A snapshot as canonical JSON, in pieces, with its hash. */
export interface SnapshotDocument {
  setHash: Hex
  pieces: readonly Uint8Array[]
  bytes: number
  entries: number
}

const pieceLength = 256 * 1024
const emptyEntries = '"entries":[]'
const emptyExcluded = '"excluded":[]'

/**
 * Writes a snapshot as canonical JSON without ever holding it as one value: with 65,536 entries its objects and its text
 * together would be more than an isolate has. Exactly the kept bytes are hashed.
 */
export class SnapshotWriter {
  readonly #hash = keccak_256.create()
  readonly #pieces: Uint8Array[] = []
  readonly #between: string
  readonly #end: string
  readonly #excluded: string[] = []
  #text: string
  #bytes = 0
  #entries = 0

  /** @param header - A snapshot of which only the lists are missing. */
  constructor(header: Snapshot) {
    const [start = '', rest = ''] = encodeCanonicalJson(header).split(emptyEntries)
    const [between = '', end = ''] = rest.split(emptyExcluded)
    this.#text = `${start}"entries":[`
    this.#between = `]${between}"excluded":[`
    this.#end = `]${end}`
  }

  get entries(): number {
    return this.#entries
  }

  /** Places come in the order of their keys. */
  add(place: SnapshotPlace): void {
    if ('excluded' in place) {
      this.#excluded.push(encodeCanonicalJson(place.excluded))
      return
    }
    const text = encodeCanonicalJson(place.entry)
    this.#append(this.#entries === 0 ? text : `,${text}`)
    this.#entries += 1
  }

  finish(): SnapshotDocument {
    this.#append(this.#between)
    for (const [i, text] of this.#excluded.entries()) this.#append(i === 0 ? text : `,${text}`)
    this.#append(this.#end)
    this.#flush()
    return {
      setHash: bytesToHex(this.#hash.digest()),
      pieces: this.#pieces,
      bytes: this.#bytes,
      entries: this.#entries,
    }
  }

  #append(text: string): void {
    this.#text += text
    if (this.#text.length >= pieceLength) this.#flush()
  }

  #flush(): void {
    const piece = utf8(this.#text)
    this.#hash.update(piece)
    this.#pieces.push(piece)
    this.#bytes += piece.length
    this.#text = ''
  }
}

/** A snapshot of whose entries only something is known. */
export interface SnapshotOf<E> extends Omit<Snapshot, 'entries'> {
  readonly entries: readonly E[]
}

/**
 * Reads a snapshot that {@link SnapshotWriter} wrote, entry by entry, so that its text is never held whole beside its
 * objects. It is trusted: what comes from others is for {@link parseSnapshot}.
 *
 * @param keep what is held of an entry: of 65,536 whole ones an isolate has room for a few times only.
 */
export async function readSnapshotDocument<E>(
  bytes: AsyncIterable<Uint8Array>,
  keep: (entry: SnapshotEntry) => E,
): Promise<SnapshotOf<E>> {
  const decoder = new TextDecoder()
  const entries: E[] = []
  let header = ''
  let text = ''
  for await (const piece of bytes) {
    text += decoder.decode(piece, { stream: true })
    if (header === '') {
      const start = text.indexOf('"entries":[')
      if (start < 0) continue
      header = text.slice(0, start + '"entries":['.length)
      text = text.slice(header.length)
    }
    text = takeEntries(text, (entry) => entries.push(keep(entry)))
  }
  return { ...(JSON.parse(header + text) as Snapshot), entries }
}

/**
 * The entry of a key in a snapshot that {@link SnapshotWriter} wrote, or null. The others are passed over as text, which
 * costs a small part of reading them.
 */
export async function findSnapshotEntry(
  bytes: AsyncIterable<Uint8Array>,
  nodeKey: string,
): Promise<SnapshotEntry | null> {
  const member = `"node_key":"${nodeKey}"`
  const decoder = new TextDecoder()
  let text = ''
  let found: SnapshotEntry | null = null
  let isOver = false
  // Read to its end: a stream that is left is the source's to clean up, which may wait for long.
  for await (const piece of bytes) {
    if (isOver) continue
    text += decoder.decode(piece, { stream: true })
    const listEnd = text.indexOf('"excluded":[')
    const at = text.indexOf(member)
    const isNamed = at >= 0 && (listEnd < 0 || at < listEnd)
    const end = isNamed ? text.indexOf('}', at) : -1
    if (end >= 0) found = JSON.parse(text.slice(text.lastIndexOf('{', at), end + 1)) as SnapshotEntry
    isOver = found !== null || (!isNamed && listEnd >= 0)
    // The last entry may not be whole yet.
    text = text.slice(text.lastIndexOf('{'))
  }
  return found
}

/** Takes the entries that are there whole off a text, and gives the rest. No member of an entry contains a brace. */
function takeEntries(text: string, take: (entry: SnapshotEntry) => void): string {
  let at = 0
  while (text[at] === '{' || (text[at] === ',' && text[at + 1] === '{')) {
    const start = text[at] === ',' ? at + 1 : at
    const end = text.indexOf('}', start)
    if (end < 0) break
    take(JSON.parse(text.slice(start, end + 1)) as SnapshotEntry)
    at = end + 1
  }
  return text.slice(at)
}
