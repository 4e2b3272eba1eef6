import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { activeMax, webhooksMax } from '../../../durable-objects/webhooks/rules.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { json, noContent } from '../../http/answer.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok, reply } from '../../route.ts'
import { webhookStates } from '../../stores/schema/webhooks.ts'
import { type Webhook, WebhookStore } from '../../stores/webhooks.ts'
import { sealSecret } from '../../webhooks/secrets.ts'
import {
  CreatedWebhook,
  content,
  path,
  pathOfOne,
  requireUrl,
  requireWebhook,
  secretExample,
  unknownWebhook,
  WebhookParams,
  WebhookView,
  webhookExample,
  webhookView,
} from './schema.ts'
import { secretOf } from './secret.ts'

const { url, types, project_ids } = webhookExample

/** A key that is for some projects does not see what is about others. */
function isVisible(c: HubContext, { projectIds }: Webhook): boolean {
  const { principal } = c.var
  if (principal?.kind !== 'api_key' || principal.projectIds === null) return true
  const ofKey = new Set(principal.projectIds)
  return projectIds?.every((id) => ofKey.has(id)) ?? false
}

export const listWebhooks = defineRoute(
  {
    method: 'get',
    path,
    operationId: 'listWebhooks',
    tag: 'Events',
    summary: 'List your webhooks, newest first',
    description: 'A key that is for some projects sees the webhooks that are for these projects alone.',
    auth: { session: true, apiKey: 'analytics:read' },
    responses: ok(
      'All webhooks.',
      z.strictObject({ items: z.array(WebhookView) }).meta({ id: 'WebhookList' }),
      { items: [webhookExample] },
    ),
  },
  async (c) => {
    const webhooks = await c.var.services.store(WebhookStore).list(callerOf(c))
    const now = unixNow()
    return json({
      items: webhooks.filter((one) => isVisible(c, one)).map((one) => webhookView(one, now)),
    })
  },
)

export const createWebhook = defineRoute(
  {
    method: 'post',
    path,
    operationId: 'createWebhook',
    tag: 'Events',
    summary: 'Make a webhook',
    description: `The hub posts every event that is logged from now on and matches, signed as Standard Webhooks has it. The secret is shown once. A wallet has at most ${webhooksMax} webhooks, and a hub ${activeMax} active ones.`,
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    json: {
      schema: z
        .strictObject({ ...content, project_ids: content.project_ids.default(null) })
        .meta({ id: 'WebhookInput' }),
      example: { url, types, project_ids },
    },
    errors: ['conflict'],
    responses: reply(
      201,
      'The webhook, with its secret.',
      CreatedWebhook,
      { ...webhookExample, secret: secretExample },
      { Location: 'Path of the webhook.' },
    ),
  },
  async (c, { json: input }) => {
    const { derived, sealer, store } = c.var.services
    const webhooks = store(WebhookStore)
    const { address: owner } = sessionOf(c)
    requireUrl(c, input.url)
    const webhookId = derived.alphanumerics(c.var.operation, 'webhook id', 16)
    const secret = secretOf(c)
    const now = unixNow()
    const created = await webhooks.create({
      ...{ webhookId, owner, createdAt: now },
      ...{ url: input.url, types: input.types, projectIds: input.project_ids },
      secrets: [{ sealed: await sealSecret(sealer, webhookId, secret), createdAt: now, expiresAt: null }],
    })
    if (created === 'full')
      throw (await webhooks.list(owner)).length < webhooksMax
        ? hubIsFull()
        : new ApiError('conflict', `A wallet has at most ${webhooksMax} webhooks; delete one first.`)
    await wakeReader(c)
    const webhook = await requireWebhook(c, owner, webhookId)
    return json({ ...webhookView(webhook, now), secret }, 201, { Location: `${path}/${webhookId}` })
  },
)

export const getWebhook = defineRoute(
  {
    method: 'get',
    path: pathOfOne,
    operationId: 'getWebhook',
    tag: 'Events',
    summary: 'Read your webhook',
    description: 'Without its secrets, which are shown once, when they are made.',
    auth: { session: true, apiKey: 'analytics:read' },
    params: WebhookParams,
    errors: ['not_found'],
    responses: ok('The webhook.', WebhookView, webhookExample),
  },
  async (c, { params: { webhook_id } }) => {
    const webhook = await requireWebhook(c, callerOf(c), webhook_id)
    if (!isVisible(c, webhook)) throw unknownWebhook(webhook_id)
    return json(webhookView(webhook, unixNow()))
  },
)

export const updateWebhook = defineRoute(
  {
    method: 'patch',
    path: pathOfOne,
    operationId: 'updateWebhook',
    tag: 'Events',
    summary: 'Change, disable or enable your webhook',
    description:
      'Members that are left out stay. A disabled webhook gives up what it has not delivered. Once enabled it gets what is logged from then on.',
    auth: { session: true },
    stores: 'records',
    params: WebhookParams,
    json: {
      schema: z
        .strictObject({ ...content, state: z.enum(webhookStates) })
        .partial()
        .meta({ id: 'WebhookPatch' }),
      example: { types },
    },
    errors: ['not_found', 'conflict'],
    responses: ok('The webhook.', WebhookView, webhookExample),
  },
  async (c, { params: { webhook_id }, json: { project_ids: projectIds, ...input } }) => {
    const { address: owner } = sessionOf(c)
    if (input.url !== undefined) requireUrl(c, input.url)
    const given = Object.entries({ ...input, projectIds }).filter(([, value]) => value !== undefined)
    const isDone = await c.var.services
      .store(WebhookStore)
      .update(owner, webhook_id, Object.fromEntries(given))
    const webhook = await requireWebhook(c, owner, webhook_id)
    if (!isDone) throw hubIsFull()
    await wakeReader(c)
    return json(webhookView(webhook, unixNow()))
  },
)

export const deleteWebhook = defineRoute(
  {
    method: 'delete',
    path: pathOfOne,
    operationId: 'deleteWebhook',
    tag: 'Events',
    summary: 'Delete your webhook, with its deliveries',
    description: 'Nothing more is sent to it. Deliveries that are under way may still arrive.',
    auth: { session: true },
    params: WebhookParams,
    errors: ['not_found'],
    responses: { 204: { description: 'Deleted.' } },
  },
  async (c, { params: { webhook_id } }) => {
    if (!(await c.var.services.store(WebhookStore).delete(sessionOf(c).address, webhook_id)))
      throw unknownWebhook(webhook_id)
    return noContent()
  },
)

const hubIsFull = () =>
  new ApiError(
    'conflict',
    `The hub takes no more active webhooks for now. Half of its ${activeMax} are for developers and wallets with bonded collateral.`,
  )

/** The schedule wakes a reader that did not hear of it. */
const wakeReader = (c: HubContext): Promise<void> =>
  c.env.WEBHOOK_READER.getByName('webhooks')
    .wake()
    .catch((error) => console.error('the reader of webhooks could not be woken', error))
