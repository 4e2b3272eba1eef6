import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { type FeedPage, pageOfRows } from '../../../durable-objects/events/rows.ts'
import {
  accountTypes,
  type Filter,
  networkTypes,
  type Position,
  wordsOf,
} from '../../../durable-objects/events/types.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { eventView } from '../../events/messages.ts'
import type { EventServices } from '../../events/services.ts'
import { type Answer, json } from '../../http/answer.ts'
import { PathBytes32, PathProject, Timestamp } from '../../http/formats.ts'
import { pageQuery } from '../../http/pagination.ts'
import { authenticate, callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { callerName } from '../../middleware/idempotency.ts'
import { defineRoute, type RouteResponse } from '../../route.ts'
import { deviceEventExample, EventView, roundEventExample } from './schema.ts'
import { streamOf } from './stream.ts'

const feedQuery = {
  limit: pageQuery.limit,
  after: z
    .string()
    .max(1024)
    .optional()
    .describe(
      'The `next_cursor` of the answer before, or the `id` of the last event that you have, from wherever you have it. `0` begins with the oldest event that is kept. Left out, the answer has the newest events.',
    ),
  wait: z
    .string()
    .regex(/^([12]?[0-9]|30)$/, 'must be an integer from 0 to 30')
    .transform(Number)
    .optional()
    .meta({
      description: 'Seconds to wait for an event if no event matches yet.',
      schema: { type: 'integer', minimum: 0, maximum: 30, default: 0 },
    }),
  project_id: PathProject.optional(),
}

const EventPage = z
  .strictObject({
    items: z.array(EventView).describe('Oldest first.'),
    next_cursor: z.string().describe('`after` of the next call. It moves on where no event matched, too.'),
    archived_before: Timestamp.nullable().describe(
      'Set if events after `after` are no longer kept: the time of the oldest event that is. Null otherwise.',
    ),
  })
  .meta({ id: 'EventPage' })

const headers = {
  'Last-Event-ID': 'For streams: the last `id` that you have, in place of `after`. It takes the same.',
}

const responses = (item: z.output<typeof EventView>): Record<number, RouteResponse> => ({
  200: {
    description:
      'Events in the order in which they were written. With `Accept: text/event-stream` the answer is a stream of server-sent events that ends after ten minutes; clients connect again with `Last-Event-ID`.',
    schema: EventPage,
    example: { items: [item], next_cursor: 'kXq0…', archived_before: null },
    contentType: 'text/event-stream',
  },
})

const about =
  'Follow the feed by repeating the call with `after` and `wait`, or as a stream of server-sent events with `Accept: text/event-stream`; both use the same cursor, which does not depend on filters.'

export const listEvents = defineRoute(
  {
    method: 'get',
    path: '/v1/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'Follow the events of the network',
    description: about,
    query: z.strictObject({
      ...feedQuery,
      module: PathBytes32.optional().describe('The manifest address of a module.'),
      type: z.enum(networkTypes).optional(),
    }),
    headers,
    responses: responses(roundEventExample),
  },
  (c, { query: { project_id, module, type, ...query } }) =>
    answerFeed(c, {
      list: (project = '', module = '', type = '') =>
        `events project=${project} module=${module} type=${type}`,
      query,
      filter: { project_id, module, type },
    }),
)

export const listOwnEvents = defineRoute(
  {
    method: 'get',
    path: '/v1/me/events',
    operationId: 'listOwnEvents',
    tag: 'Events',
    summary: 'Follow the events of your wallet',
    description: `Events of your devices, subscriptions, rewards and projects. ${about}`,
    auth: { session: true },
    query: z.strictObject({ ...feedQuery, type: z.enum([...networkTypes, ...accountTypes]).optional() }),
    headers,
    responses: responses(deviceEventExample),
  },
  (c, { query: { project_id, type, ...query } }) =>
    answerFeed(c, {
      list: (project = '', _module = '', type = '') => `own events project=${project} type=${type}`,
      query,
      filter: { project_id, type },
      isOwn: true,
    }),
)

interface Feed {
  /** The name under which cursors are issued: the feed without a filter. Earlier cursors name a filter, and are still in use. */
  list: (project?: string, module?: string, type?: string) => string
  query: { limit?: number | undefined; after?: string | undefined; wait?: number | undefined }
  filter: Filter
  isOwn?: true
}

const start: Position = { row: 0, offset: 0 }

/** A cursor is longer. */
const idPattern = /^([1-9][0-9]{0,14})-(0|[1-9][0-9]{0,5})$/

async function answerFeed(c: HubContext, { list, query, filter, isOwn }: Feed): Promise<Answer> {
  const { cursors } = c.var.services
  const services = await c.var.services.events()
  const { wait = 0, limit = 50 } = query
  const isHead = c.req.method === 'HEAD'
  const streams = !isHead && (c.req.header('accept') ?? '').includes('text/event-stream')
  const lastId = streams ? c.req.header('last-event-id') : undefined
  const after = lastId ?? query.after
  const field = lastId === undefined ? 'after' : 'Last-Event-ID'
  const lists = [list(), list(filter.project_id, filter.module, filter.type)]
  const from =
    after === undefined ? null : (namedPosition(after) ?? positionOf(cursors.decode(lists, after, field)))
  // The caller may be known only after the first read.
  const ownWord = sql`' ' || substr(${callerOf(c)}, -5) || ' '`
  const words = isOwn ? [[ownWord], ...wordsOf({ ...filter, address: '' }).slice(1)] : wordsOf(filter)
  const { rows, end, archivedBefore } = await services.log.read(from, words)
  const feed = isOwn ? { ...filter, address: sessionOf(c).address } : filter
  const read = pageOfRows(rows, {
    from: from ?? start,
    end,
    filter: feed,
    limit: from === null ? Infinity : limit,
  })
  const first = { next: read.next, events: read.events.slice(-limit) }
  const followAny = followWith(c, services, { filter: feed, limit })
  const follow: typeof followAny = async (position, waitMs) => {
    const page = await followAny(position, waitMs)
    // The wallet may have signed out meanwhile.
    if (isOwn && page.events.length > 0) await authenticate(c, sessionOf(c))
    return page
  }
  const cursorOf = (position: Position) => cursors.encode(list(), [position.row, position.offset])
  if (streams) return streamOf({ ...first, archivedBefore }, { cursorOf, view: eventView, follow })
  const isOver = first.events.length > 0 || wait === 0 || isHead
  const { events, next } = isOver ? first : await follow(first.next, wait * 1_000)
  const next_cursor = cursorOf(next)
  c.var.nextPage = { after: next_cursor }
  return json({ items: events.map(eventView), next_cursor, archived_before: archivedBefore })
}

/** Behind the event of an id, or before the oldest one. */
function namedPosition(after: string): Position | null {
  if (after === '0') return { row: 1, offset: 0 }
  const [, row, offset] = idPattern.exec(after) ?? []
  return row === undefined ? null : { row: Number(row), offset: Number(offset) + 1 }
}

const positionOf = ([row = 0, offset = 0]: readonly (string | number)[]): Position => ({
  row: Number(row),
  offset: Number(offset),
})

/** Waits for events. Each caller waits a few times at once. */
function followWith(
  c: HubContext,
  { feed }: EventServices,
  { filter, limit }: { filter: Filter; limit: number },
) {
  const caller = callerName(c)
  return async (from: Position, waitMs: number): Promise<FeedPage> => {
    const page = await feed({ caller, filter, from, limit }, waitMs)
    if (page !== null) return page
    throw new ApiError(
      'rate_limited',
      'Too many of your calls wait for events. Let some end, or follow one stream.',
      {
        headers: { 'Retry-After': '5' },
      },
    )
  }
}
