import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { keptMax } from '../../../durable-objects/webhooks/rules.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import { type Delivery, WebhookStore } from '../../stores/webhooks.ts'
import { deliveryId, numberOf } from '../../webhooks/delivery-id.ts'
import { sendDue } from '../../webhooks/send-due.ts'
import { type EventView, testType } from '../events/schema.ts'
import {
  DeliveryParams,
  DeliveryView,
  deliveryExample,
  deliveryView,
  path,
  pathOfOne,
  requireWebhook,
  unknownWebhook,
  WebhookParams,
  webhookExample,
} from './schema.ts'

const dueExample = {
  ...deliveryExample,
  ...{ state: 'pending', attempts_made: 0, attempts: [] },
  next_attempt_at: deliveryExample.created_at,
} satisfies z.output<typeof DeliveryView>

const accepted = (example: z.output<typeof DeliveryView>) =>
  reply(202, 'The delivery.', DeliveryView, example, { Location: 'The list of the deliveries.' })
const listOf = (webhookId: string) => ({ Location: `${path}/${webhookId}/deliveries` })

export const listWebhookDeliveries = defineRoute(
  {
    method: 'get',
    path: `${pathOfOne}/deliveries`,
    operationId: 'listWebhookDeliveries',
    tag: 'Events',
    summary: 'List the deliveries of your webhook, newest first',
    description: `Those that are over are kept for 30 days, the newest ${keptMax} of them.`,
    auth: { session: true },
    params: WebhookParams,
    query: z.strictObject(pageQuery),
    errors: ['not_found'],
    responses: onePage('WebhookDeliveryPage', DeliveryView, deliveryExample),
  },
  (c, { params: { webhook_id }, query }) =>
    answerPage(c, {
      list: `webhook deliveries of=${webhook_id}`,
      isOwn: true,
      query,
      by: ['number'],
      fetch: async (after, limit) => {
        const rows = await c.var.services
          .store(WebhookStore)
          .deliveries(callerOf(c), webhook_id, after, limit)
        if (rows.length === 0) await requireWebhook(c, callerOf(c), webhook_id)
        return rows
      },
      view: (delivery: Delivery) => deliveryView(delivery),
    }),
)

export const testWebhook = defineRoute(
  {
    method: 'post',
    path: `${pathOfOne}/test`,
    operationId: 'testWebhook',
    tag: 'Events',
    summary: 'Have an event of the type `webhook.test` delivered',
    description:
      'It is tried once, also where the webhook is disabled. The list of deliveries has what came of it.',
    auth: { session: true },
    budget: 'webhook_call',
    stores: 'records',
    params: WebhookParams,
    errors: ['not_found'],
    responses: accepted({
      ...dueExample,
      event: {
        ...{ id: 'test-0b6d4f6e-7d5e-4a38-9f0c-2a1b3c4d5e6f', type: testType },
        ...{ created_at: deliveryExample.created_at, data: { webhook_id: webhookExample.webhook_id } },
      },
    }),
  },
  async (c, { params: { webhook_id: webhookId } }) => {
    const now = unixNow()
    const event = {
      ...{ id: `test-${crypto.randomUUID()}`, type: testType, created_at: now },
      data: { webhook_id: webhookId },
    } satisfies z.output<typeof EventView>
    const body = JSON.stringify(event)
    const made = await c.var.services.store(WebhookStore).addTest(sessionOf(c).address, webhookId, body, now)
    if (made === null) throw unknownWebhook(webhookId)
    await sendDue(c.env)([made])
    return json(deliveryView(made), 202, listOf(webhookId))
  },
)

export const redeliverWebhook = defineRoute(
  {
    method: 'post',
    path: `${pathOfOne}/deliveries/{delivery_id}/redeliver`,
    operationId: 'redeliverWebhook',
    tag: 'Events',
    summary: 'Have a delivery tried now',
    description:
      'One that is over is tried once more, with the same id and body. One that waits is tried at once. It works where the webhook is disabled, too.',
    auth: { session: true },
    budget: 'webhook_call',
    stores: 'records',
    params: DeliveryParams,
    errors: ['not_found', 'invalid_state'],
    responses: accepted(dueExample),
  },
  async (c, { params: { webhook_id: webhookId, delivery_id: id } }) => {
    const store = c.var.services.store(WebhookStore)
    const find = async (): Promise<Delivery> => {
      const found = await store.findDelivery(sessionOf(c).address, webhookId, numberOf(id))
      if (found === null || deliveryId(found) !== id)
        throw new ApiError('not_found', `Your webhook ${webhookId} has no delivery ${id}.`)
      return found
    }
    const { state } = await find()
    if (state === 'gap')
      throw new ApiError(
        'invalid_state',
        'A gap stands for events that were not sent: read them from the feed of events, with the `id` of the last one that you have as `after`.',
      )
    await store.retry({ webhookId, number: numberOf(id) }, unixNow())
    const due = await find()
    await sendDue(c.env)([due])
    return json(deliveryView(due), 202, listOf(webhookId))
  },
)
