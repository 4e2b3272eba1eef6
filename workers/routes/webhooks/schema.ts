import * as z from 'zod'
import { secretsMax } from '../../../durable-objects/webhooks/rules.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { AnyObject, Bytes32, Timestamp } from '../../http/formats.ts'
import type { Wallet } from '../../stores/caller.ts'
import { deliveryStates, disabledReasons, webhookStates } from '../../stores/schema/webhooks.ts'
import { type Delivery, type Webhook, WebhookStore } from '../../stores/webhooks.ts'
import { deliveryId, deliveryIdPattern } from '../../webhooks/delivery-id.ts'
import { isValid } from '../../webhooks/secrets.ts'
import { urlLengthMax, urlProblem } from '../../webhooks/url.ts'
import { eventTypes } from '../events/schema.ts'

export const path = '/v1/me/webhooks'
export const pathOfOne = `${path}/{webhook_id}` as const

const projectsMax = 20

const isSet = (values: readonly string[]): boolean => new Set(values).size === values.length

/** The members of a webhook that its owner chooses. */
export const content = {
  url: z
    .string()
    .max(urlLengthMax)
    .describe('A public https URL; on a local network also one of this machine, with http.'),
  types: z
    .array(z.enum(eventTypes))
    .min(1, 'must name at least one type')
    .max(eventTypes.length)
    .refine(isSet, 'must name each type once')
    .describe('Events of the network, and events about your wallet, of these types.'),
  project_ids: z
    .array(Bytes32)
    .min(1, 'must name at least one project, or be null')
    .max(projectsMax, `must have at most ${projectsMax} items`)
    .refine(isSet, 'must name each project once')
    .nullable()
    .describe('Only events about these projects; null for all events of the types.'),
}

const members = {
  webhook_id: z.string(),
  ...content,
  state: z.enum(webhookStates),
  disabled_because: z.enum(disabledReasons).nullable(),
  failing_since: Timestamp.nullable().describe('The first failed attempt since the last one that succeeded.'),
  secrets: z
    .array(z.strictObject({ created_at: Timestamp, expires_at: Timestamp.nullable() }))
    .describe('Secrets that sign now, the newest first. They are not shown again.'),
  created_at: Timestamp,
}

const secret = z.string().describe('Shown only here. Receivers verify signatures with it.')

export const WebhookView = z.strictObject(members).meta({ id: 'Webhook' })
export const CreatedWebhook = z.strictObject({ ...members, secret }).meta({ id: 'CreatedWebhook' })

export const webhookExample: z.output<typeof WebhookView> = {
  webhook_id: 'Rk3v9QpXw7LrT2mB',
  url: 'https://receiver.example.com/hub',
  types: ['round.finalized'],
  project_ids: [example.digest],
  state: 'active',
  disabled_because: null,
  failing_since: null,
  secrets: [{ created_at: example.time, expires_at: null }],
  created_at: example.time,
}
export const secretExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3DnaVgK1m2E='

export function webhookView(
  { webhookId, url, types, projectIds, state, disabledBecause, failingSince, ...rest }: Webhook,
  now: number,
): z.output<typeof WebhookView> {
  return {
    webhook_id: webhookId,
    ...{ url, types: [...types], project_ids: projectIds && [...projectIds], state },
    disabled_because: disabledBecause,
    failing_since: failingSince,
    secrets: rest.secrets
      .filter((one) => isValid(one, now))
      .map(({ createdAt, expiresAt }) => ({ created_at: createdAt, expires_at: expiresAt })),
    created_at: rest.createdAt,
  }
}

export const DeliveryView = z
  .strictObject({
    delivery_id: z.string().describe('The header `webhook-id`.'),
    state: z
      .enum(deliveryStates)
      .describe('`gap` stands for events that were not sent; `event.data.reason` says why.'),
    event: AnyObject.describe('The event as it is sent.'),
    created_at: Timestamp,
    next_attempt_at: Timestamp.nullable(),
    attempts_made: z.int(),
    attempts: z
      .array(
        z.strictObject({
          at: Timestamp,
          status: z.int().nullable().describe('Null without an answer.'),
          duration_ms: z.int(),
          answer: z.string().nullable().describe('The first 1 KiB, with spaces for control characters.'),
          error: z.string().nullable(),
        }),
      )
      .describe('The newest ten, oldest first.'),
  })
  .meta({ id: 'WebhookDelivery' })

export const deliveryExample: z.output<typeof DeliveryView> = {
  delivery_id: `msg_${webhookExample.webhook_id}_12_${example.time}`,
  state: 'delivered',
  event: {
    ...{ id: '4711-3', type: 'round.finalized', created_at: example.time, project_id: example.digest },
    data: { success: true },
  },
  created_at: example.time,
  next_attempt_at: null,
  attempts_made: 1,
  attempts: [{ at: example.time, status: 200, duration_ms: 41, answer: 'ok', error: null }],
}

export const deliveryView = (delivery: Delivery): z.output<typeof DeliveryView> => ({
  delivery_id: deliveryId(delivery),
  state: delivery.state,
  event: JSON.parse(delivery.body),
  created_at: delivery.createdAt,
  next_attempt_at: delivery.state === 'pending' ? delivery.dueAt : null,
  attempts_made: delivery.attemptsMade,
  attempts: delivery.attempts.map(({ at, status, durationMs, answer, error }) => ({
    ...{ at, status, duration_ms: durationMs, answer, error },
  })),
})

const webhookId = z
  .string()
  .regex(/^[A-Za-z0-9]{16}$/, 'must be 16 letters or digits')
  .meta({ example: webhookExample.webhook_id })

export const WebhookParams = z.object({ webhook_id: webhookId })
export const DeliveryParams = z.object({
  webhook_id: webhookId,
  delivery_id: z
    .string()
    .regex(deliveryIdPattern, 'must be the delivery_id of a delivery')
    .meta({ example: deliveryExample.delivery_id }),
})

export const NewSecret = z
  .strictObject({ secret, created_at: Timestamp })
  .meta({ id: 'WebhookSecret', description: `A webhook has at most ${secretsMax} at a time.` })

/** @throws {@link ApiError} 400 `invalid_field`. */
export function requireUrl(c: HubContext, url: string): void {
  const { LOCAL_NETWORK: isLocal, BASE_URL: hub } = c.var.settings
  const problem = urlProblem(url, { isLocal, hub })
  if (problem !== null) throw invalidField('url', problem)
}

/** @throws {@link ApiError} 404 `not_found`. */
export async function requireWebhook(c: HubContext, owner: Wallet, webhookId: string): Promise<Webhook> {
  const webhook = await c.var.services.store(WebhookStore).find(owner, webhookId)
  if (webhook === null) throw unknownWebhook(webhookId)
  return webhook
}

export const unknownWebhook = (webhookId: string) =>
  new ApiError('not_found', `You have no webhook ${webhookId}.`)
