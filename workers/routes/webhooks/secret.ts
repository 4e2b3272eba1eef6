import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { daySecs, secretsMax } from '../../../durable-objects/webhooks/rules.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { base64UrlToBytes } from '../../http/base64.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import { WebhookStore } from '../../stores/webhooks.ts'
import { isValid, openSecrets, sealSecret } from '../../webhooks/secrets.ts'
import { formatSecret } from '../../webhooks/signature.ts'
import { NewSecret, pathOfOne, requireWebhook, secretExample, WebhookParams } from './schema.ts'

/** The secret that the operation makes, the same at every try. */
export const secretOf = (c: HubContext): string =>
  formatSecret(
    base64UrlToBytes(c.var.services.derived.secret(c.var.operation, 'webhook secret')) as Uint8Array,
  )

export const createWebhookSecret = defineRoute(
  {
    method: 'post',
    path: `${pathOfOne}/secrets`,
    operationId: 'createWebhookSecret',
    tag: 'Events',
    summary: 'Make a new secret for your webhook',
    description: `Shown once. Until the secrets before it expire, every call has a signature of each. A webhook has at most ${secretsMax} at a time.`,
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    params: WebhookParams,
    json: {
      schema: z
        .strictObject({
          previous_valid_secs: z
            .int()
            .min(0)
            .max(30 * daySecs)
            .default(daySecs)
            .describe('How long the secrets before it still sign, where they do not expire sooner.'),
        })
        .meta({ id: 'WebhookSecretInput' }),
      example: { previous_valid_secs: 3600 },
      optional: true,
    },
    errors: ['not_found', 'conflict'],
    responses: reply(
      201,
      'The secret.',
      NewSecret,
      { secret: secretExample, created_at: example.time },
      { Location: 'Path of the webhook.' },
    ),
  },
  async (c, { params: { webhook_id: webhookId }, json: { previous_valid_secs: validSecs } }) => {
    const { sealer, store } = c.var.services
    const webhook = await requireWebhook(c, sessionOf(c).address, webhookId)
    const secret = secretOf(c)
    const now = unixNow()
    const answer = (createdAt: number) =>
      json({ secret, created_at: createdAt }, 201, { Location: pathOfOne.replace('{webhook_id}', webhookId) })
    const valid = webhook.secrets.filter((one) => isValid(one, now))
    if (c.var.operation.isRetry)
      for (const one of valid)
        if ((await openSecrets(sealer, { webhookId, secrets: [one] }, now))[0] === secret)
          return answer(one.createdAt)
    const until = now + validSecs
    const previous = valid
      .map((one) => ({ ...one, expiresAt: Math.min(one.expiresAt ?? Infinity, until) }))
      .filter((one) => isValid(one, now))
    if (previous.length >= secretsMax)
      throw new ApiError(
        'conflict',
        `A webhook has at most ${secretsMax} secrets at a time; wait until one expires, or send a shorter \`previous_valid_secs\`.`,
      )
    const sealed = await sealSecret(sealer, webhookId, secret)
    if (
      !(await store(WebhookStore).setSecrets(webhook, [
        { sealed, createdAt: now, expiresAt: null },
        ...previous,
      ]))
    )
      throw new ApiError('conflict', 'Another call has changed the secrets meanwhile. Repeat the request.')
    return answer(now)
  },
)
