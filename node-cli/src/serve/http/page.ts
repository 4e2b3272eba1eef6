/** Most bytes of the items of one page. A page ends before it is larger; its first item is there whatever it has. */
export const pageBytesMax = 1024 * 1024

/** The source of a list: the ids of a page and one more, and a function that reads one item. */
export interface PageSource<Id> {
  /** At most one more than the caller asked for, in the order of the list. */
  readonly ids: readonly Id[]
  readonly limit: number
  /** An item as JSON; null for one that is gone since. */
  readonly read: (id: Id) => string | null
  readonly cursorOf: (id: Id) => string
}

/**
 * A page as JSON text, piece by piece: items are read while the caller takes them, and one at a time is in memory. It ends
 * at the limit of the caller or at {@link pageBytesMax}, whichever comes first, and then names where the next page begins.
 *
 * @param member The member that has the items.
 * @param more Further members, as JSON, each with its comma before it.
 */
export function* pageText<Id>(member: string, source: PageSource<Id>, more = ''): Generator<string> {
  const { ids, limit, read, cursorOf } = source
  yield `{"${member}":[`
  let [bytes, taken, written] = [0, 0, 0]
  for (const id of ids.slice(0, limit)) {
    const item = read(id)
    const itemBytes = item === null ? 0 : Buffer.byteLength(item)
    if (written > 0 && bytes + itemBytes > pageBytesMax) break
    taken += 1
    if (item === null) continue
    yield written === 0 ? item : `,${item}`
    written += 1
    bytes += itemBytes
  }
  const last = ids[taken - 1]
  const next = taken < ids.length && last !== undefined ? cursorOf(last) : null
  yield `],"next_cursor":${JSON.stringify(next)}${more}}`
}
