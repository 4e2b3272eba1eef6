import * as z from 'zod'
import type { LoggedEvent } from '../../../durable-objects/events/types.ts'
import { notified } from '../../events/messages.ts'
import { json, noContent } from '../../http/answer.ts'
import { pageOf, pageQuery, paginate } from '../../http/pagination.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import type { Notification } from '../../stores/notifications.ts'
import { NotificationView, notificationExample } from './schema.ts'

const idsMax = 200

export const listNotifications = defineRoute(
  {
    method: 'get',
    path: '/v1/me/notifications',
    operationId: 'listNotifications',
    tag: 'Events',
    summary: 'List your notifications, newest first',
    description: 'The few events of your feed that you should hear of. They are kept for 90 days.',
    auth: { session: true },
    query: z.strictObject({
      ...pageQuery,
      unread: z
        .enum(['true', 'false'])
        .optional()
        .meta({
          description: 'Whether to list unread ones alone.',
          schema: { type: 'boolean', default: false },
        }),
    }),
    responses: ok(
      'One page.',
      pageOf(NotificationView)
        .extend({ unread: z.int().describe('How many are unread, those of other pages included.') })
        .meta({ id: 'NotificationPage' }),
      { items: [notificationExample], next_cursor: null, unread: 1 },
    ),
  },
  async (c, { query: { unread = 'false', ...query } }) => {
    const { notifications } = await c.var.services.events()
    const owner = callerOf(c)
    const [page, count] = await Promise.all([
      paginate<Notification, [number]>(c, {
        list: `notifications unread=${unread}`,
        isOwn: true,
        query,
        position: ({ id }) => [id],
        fetch: (after, limit) =>
          notifications.list(owner, after && { id: after[0] }, limit, unread === 'true'),
      }),
      notifications.unread(owner),
    ])
    const items = page.rows.map(({ id, isRead, body }) => {
      const event = JSON.parse(body) as LoggedEvent
      return { id: String(id), ...event, ...notified[event.type], read: isRead }
    })
    return json({ items, next_cursor: page.next_cursor, unread: count })
  },
)

export const markNotificationsRead = defineRoute(
  {
    method: 'post',
    path: '/v1/me/notifications/read',
    operationId: 'markNotificationsRead',
    tag: 'Events',
    summary: 'Mark notifications as read',
    description: `Those in \`ids\`, or with \`all\` every one that exists now. Ids that are not yours, or are read, change nothing.`,
    auth: { session: true },
    json: {
      schema: z
        .strictObject({
          ids: z
            .array(z.string().regex(/^[1-9][0-9]{0,14}$/, 'must be the id of a notification'))
            .min(1)
            .max(idsMax)
            .optional(),
          all: z.boolean().optional(),
        })
        .refine(({ ids, all }) => (ids === undefined) === (all === true), {
          path: ['ids'],
          error: 'must be given, or `all: true` in its place',
        })
        .meta({ id: 'MarkRead' }),
      example: { ids: ['815'] },
    },
    responses: { 204: { description: 'They are read.' } },
  },
  async (c, { json: { ids } }) => {
    const { notifications } = await c.var.services.events()
    const { address } = sessionOf(c)
    if (ids === undefined) await notifications.markAllRead(address)
    else await notifications.markRead(address, ids.map(Number))
    return noContent()
  },
)
