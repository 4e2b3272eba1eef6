import * as z from 'zod'
import type { HubContext } from '../context.ts'
import { ok } from '../route.ts'
import { type Answer, json } from './answer.ts'

/** Query of every list; routes extend it with their filters. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, 'must be an integer from 1 to 200')
    .transform(Number)
    .refine((limit) => limit <= 200, 'must be an integer from 1 to 200')
    .optional()
    .meta({
      description: 'Items per page, 1 to 200; 50 when left out.',
      schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    }),
  cursor: z.string().max(1024).optional().describe('The `next_cursor` of the previous page.'),
}

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), next_cursor: z.string().nullable() })

/** The responses of a list whose page is the shape `id`. */
export const onePage = (id: string, item: z.ZodType, example: unknown) =>
  ok('One page.', pageOf(item).meta({ id }), { items: [example], next_cursor: null })

/** The same for a list whose items are archived in the end. */
export const keptPage = (id: string, item: z.ZodType, example: unknown) =>
  ok(
    'One page.',
    pageOf(item)
      .extend({
        archived_before: z
          .int()
          .optional()
          .describe(
            'On the last page, when older items are in archives: items of rounds that began before this time, in Unix seconds, may be there alone.',
          ),
      })
      .meta({ id }),
    { items: [example], next_cursor: null },
  )

interface PageRequest<Row, Position extends (string | number)[]> {
  /** Names the list and its filters; a cursor of another list is refused. */
  list: string
  /** Whether it lists what is the caller's own: a cursor of another wallet is refused, too. */
  isOwn?: boolean
  query: { limit?: number | undefined; cursor?: string | undefined }
  position: (row: Row) => Position
  fetch: (after: Position | undefined, limit: number) => Promise<Row[]>
  /** For rows that may be large: whether some of those asked for were left out. */
  isCut?: (rows: readonly Row[]) => boolean
  /** For a list whose filter no index has: whether a row that was read belongs to it. Documented with {@link readsOn}. */
  keep?: (row: Row) => boolean
  /** For a list whose older items are in archives: those before this time may be; null if none is. */
  archivedBefore?: () => Promise<number | null>
}

/** How a list with `keep` reads on if its page is not full: at most `trips` times, `rows` rows each time. */
const more = { trips: 4, rows: 250 }

/** The sentence in the description of a list with `keep`. @param when - The case it is about, such as "With a filter". */
export const readsOn = (when: string): string =>
  `${when}, the hub looks through ${more.trips * more.rows} items or more for a page; one that is not full by then has a cursor and goes on.`

/** One page by keyset: reads one row more than asked for, to know whether another page follows. */
export async function paginate<Row, Position extends (string | number)[]>(
  c: HubContext,
  { list, isOwn = false, query, position, fetch, isCut, keep, archivedBefore }: PageRequest<Row, Position>,
): Promise<{ rows: Row[]; next_cursor: string | null; archived_before?: number }> {
  const { cursors } = c.var.services
  const limit = query.limit ?? 50
  // The caller may be known only later.
  const name = () => (isOwn ? `${list} of=${c.var.holder ?? 'anybody'}` : list)
  const after = query.cursor === undefined ? undefined : (cursors.decode(name(), query.cursor) as Position)
  let asked = limit + 1
  let [rows, before] = await Promise.all([fetch(after, asked), archivedBefore?.() ?? null])
  const isMore = () => rows.length === asked || isCut?.(rows) === true
  let kept = keep ? rows.filter(keep) : rows
  for (let trip = 0; keep && trip < more.trips && kept.length < limit && isMore(); trip++) {
    const last = rows.at(-1)
    if (last === undefined) break
    asked = more.rows
    rows = await fetch(position(last), asked)
    kept = kept.concat(rows.filter(keep))
  }
  const page = kept.slice(0, limit)
  // If no row is left over, the next page begins after the last row that was read.
  const last = kept.length > limit ? page.at(-1) : isMore() ? rows.at(-1) : undefined
  const next_cursor = last === undefined ? null : cursors.encode(name(), position(last))
  c.var.nextPage = next_cursor === null ? null : { cursor: next_cursor }
  const rest = next_cursor === null && before !== null ? { archived_before: before } : {}
  return { rows: page, next_cursor, ...rest }
}

interface ShownPage<Row, Key extends keyof Row> extends Omit<PageRequest<Row, never>, 'position' | 'fetch'> {
  /** The members that order the list. */
  by: readonly Key[]
  fetch: (after: Pick<Row, Key> | undefined, limit: number) => Promise<Row[]>
  view: (row: Row) => unknown
}

/** The answer with one page of a list, each row as `view` shows it. */
export async function answerPage<Row, Key extends keyof Row>(
  c: HubContext,
  { by, fetch, view, ...page }: ShownPage<Row, Key>,
): Promise<Answer> {
  const { rows, ...rest } = await paginate<Row, (string | number)[]>(c, {
    ...page,
    // Null sorts before every number.
    position: (row) => by.map((key) => (row[key] ?? 0) as string | number),
    fetch: (after, limit) =>
      fetch(after && (Object.fromEntries(by.map((key, i) => [key, after[i]])) as Pick<Row, Key>), limit),
  })
  return json({ items: rows.map(view), ...rest })
}
