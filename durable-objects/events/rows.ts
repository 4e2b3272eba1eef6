import { eventsOfRounds, type RoundEntries } from './round-entries.ts'
import { type Filter, isIn, type LoggedEvent, type Position, wordsOf } from './types.ts'

/** A row of the log. */
export interface LogRow {
  id: number
  keys: string
  body: string
}

export interface PlacedEvent {
  /** The position from which the follower continues after it. */
  next: Position
  /** Names it in every feed. */
  id: string
  event: LoggedEvent
}

/** Events for a follower, and the position from which it continues. */
export interface FeedPage {
  events: PlacedEvent[]
  next: Position
}

/** All events of a row. */
export function eventsOf({ body }: Pick<LogRow, 'body'>): LoggedEvent[] {
  const read = JSON.parse(body) as LoggedEvent | LoggedEvent[] | RoundEntries
  if (Array.isArray(read)) return read
  return 'rounds' in read ? eventsOfRounds(read) : [read]
}

const mayHave = (keys: string, words: readonly string[][]): boolean =>
  words.every((some) => some.some((word) => keys.includes(word)))

/** Rows that several followers read are expanded once. */
const expanded = new WeakMap<LogRow, LoggedEvent[]>()

function expand(row: LogRow): LoggedEvent[] {
  const events = expanded.get(row) ?? eventsOf(row)
  expanded.set(row, events)
  return events
}

interface PageRequest {
  from: Position
  /** The position after the rows. */
  end: Position
  limit: number
}

/** The first events of a feed in rows of the log from a position on. */
export const pageOfRows = (
  rows: Iterable<LogRow>,
  { filter, ...request }: PageRequest & { filter: Filter },
): FeedPage => pageWhere(rows, { ...request, words: wordsOf(filter), has: (event) => isIn(filter, event) })

/** The same of a feed that `has` defines. @param words - Of which a row has one of each list, if it has an event of the feed. */
export function pageWhere(
  rows: Iterable<LogRow>,
  {
    from,
    end,
    limit,
    words,
    has,
  }: PageRequest & { words: readonly string[][]; has: (event: LoggedEvent) => boolean },
): FeedPage {
  const events: PlacedEvent[] = []
  for (const row of rows) {
    if (row.id < from.row || !mayHave(row.keys, words)) continue
    const all = expand(row)
    for (let offset = row.id === from.row ? from.offset : 0; offset < all.length; offset++) {
      const event = all[offset] as LoggedEvent
      if (!has(event)) continue
      const next = { row: row.id, offset: offset + 1 }
      events.push({ next, id: `${row.id}-${offset}`, event })
      if (events.length === limit) return { events, next }
    }
  }
  return { events, next: end }
}
