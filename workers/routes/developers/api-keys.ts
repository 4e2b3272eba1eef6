import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { apiKeyIdLength, apiKeyIdPattern, formatApiKey } from '../../../protocol/identity/index.ts'
import { scopes } from '../../auth/principal.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { type Answer, json, noContent } from '../../http/answer.ts'
import { Bytes32, line, Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { callerOf, hashSecret, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import { type ApiKey, liveApiKeysMax } from '../../stores/api-keys.ts'

const ApiKeyInput = z
  .strictObject({
    name: line(64, 1),
    scopes: z
      .array(z.enum(scopes))
      .min(1, 'must name at least one scope')
      .max(scopes.length)
      .refine((names) => new Set(names).size === names.length, 'must name each scope once'),
    project_ids: z
      .array(Bytes32)
      .max(200, 'must have at most 200 items')
      .nullable()
      .default(null)
      .describe('The projects that the key can be used for; null for all your projects.'),
    expires_at: Timestamp.nullable().default(null).describe('In the future, or null for never.'),
  })
  .meta({ id: 'ApiKeyInput' })

const apiKeyFields = {
  key_id: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(scopes)),
  project_ids: z.array(Bytes32).nullable(),
  last_used_at: Timestamp.nullable().describe('Exact to ten minutes.'),
  expires_at: Timestamp.nullable(),
  created_at: Timestamp,
}
const ApiKeyView = z.strictObject(apiKeyFields).meta({ id: 'ApiKey' })
const CreatedApiKey = z
  .strictObject({
    ...apiKeyFields,
    secret: z.string().describe('The whole key. Shown only here.'),
  })
  .meta({ id: 'CreatedApiKey' })

const apiKeyExample = {
  key_id: 'Zk3v9QpX',
  name: 'Continuous integration',
  prefix: '{{api_key_prefix}}Zk3v9QpX',
  scopes: ['modules:write' as const],
  project_ids: null,
  last_used_at: null,
  expires_at: null,
  created_at: example.time,
}

const apiKeyView = (prefix: string, key: ApiKey) => ({
  key_id: key.keyId,
  name: key.name,
  prefix: prefix + key.keyId,
  scopes: key.scopes,
  project_ids: key.projectIds,
  last_used_at: key.lastUsedAt,
  expires_at: key.expiresAt,
  created_at: key.createdAt,
})

export const listApiKeys = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/api-keys',
    operationId: 'listApiKeys',
    tag: 'Developers',
    summary: 'List your API keys, newest first',
    description: 'Revoked keys are not listed. Secrets are never shown again.',
    auth: { session: true },
    query: z.strictObject(pageQuery),
    responses: onePage('ApiKeyPage', ApiKeyView, apiKeyExample),
  },
  (c, { query }) =>
    answerPage(c, {
      list: 'api-keys',
      isOwn: true,
      query,
      by: ['createdAt', 'keyId'],
      fetch: (after, limit) => c.var.services.apiKeys.list(callerOf(c), after, limit),
      view: (key: ApiKey) => apiKeyView(c.var.settings.PROFILE.api_key_prefix, key),
    }),
)

export const createApiKey = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/api-keys',
    operationId: 'createApiKey',
    tag: 'Developers',
    summary: 'Create an API key',
    description: `The secret is shown once. For developers with an active enrollment, and for operators. A wallet has at most ${liveApiKeysMax} live keys.`,
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    json: { schema: ApiKeyInput, example: { name: 'Continuous integration', scopes: ['modules:write'] } },
    errors: ['not_enrolled', 'conflict'],
    responses: reply(
      201,
      'The key, with its secret.',
      CreatedApiKey,
      {
        ...apiKeyExample,
        secret: '{{api_key_prefix}}Zk3v9QpX_kV0mX2uB9pQ7sT4wZ1yA6cE3gH8jL5nR0tU2vX4zB7d',
      },
      { Location: 'The list of the keys.' },
    ),
  },
  async (c, { json: { name, scopes: granted, project_ids: projectIds, expires_at: expiresAt } }) => {
    const { apiKeys, developers, derived } = c.var.services
    const { operation } = c.var
    const { address } = sessionOf(c)
    const keyId = derived.alphanumerics(operation, 'API key id', apiKeyIdLength)
    const secret = derived.secret(operation, 'API key secret')
    const made = operation.isRetry ? await apiKeys.find(keyId) : null
    if (made !== null) return answerCreated(c, made, secret)
    const isOperator = c.var.settings.OPERATOR_ADDRESSES.includes(address)
    if (!isOperator && (await developers.find(address))?.enrollment !== 'active')
      throw new ApiError('not_enrolled', 'API keys are for developers with an active enrollment.')
    const now = unixNow()
    if (expiresAt !== null && expiresAt <= now) throw invalidField('expires_at', 'must be in the future')
    const foreign = projectIds === null ? [] : await apiKeys.foreignProjects(address, projectIds)
    if (foreign[0] !== undefined)
      throw invalidField(`project_ids[${projectIds?.indexOf(foreign[0])}]`, 'is not a project of yours')

    const key = {
      keyId,
      owner: address,
      name,
      secretHash: hashSecret(secret),
      scopes: granted,
      projectIds,
      createdAt: now,
      expiresAt,
    }
    const outcome = await apiKeys.create(key)
    if (outcome === 'full')
      throw new ApiError('conflict', `You already have ${liveApiKeysMax} active API keys; revoke one first.`)
    if (outcome === 'exists')
      throw new ApiError(
        'conflict',
        'An earlier attempt of this request has just created the key. Repeat the request.',
      )
    return answerCreated(c, { ...key, revokedAt: null, lastUsedAt: null }, secret)
  },
)

function answerCreated(c: HubContext, key: ApiKey, secret: string): Answer {
  const { PROFILE: profile } = c.var.settings
  return json(
    {
      ...apiKeyView(profile.api_key_prefix, key),
      secret: formatApiKey(profile, { id: key.keyId, secret }),
    },
    201,
    { Location: '/v1/developers/api-keys' },
  )
}

export const revokeApiKey = defineRoute(
  {
    method: 'delete',
    path: '/v1/developers/api-keys/{key_id}',
    operationId: 'revokeApiKey',
    tag: 'Developers',
    summary: 'Revoke an API key',
    description: 'It stops working at once.',
    auth: { session: true },
    params: z.object({
      key_id: z
        .string()
        .regex(apiKeyIdPattern, `must be ${apiKeyIdLength} letters or digits`)
        .meta({ example: apiKeyExample.key_id }),
    }),
    errors: ['not_found'],
    responses: { 204: { description: 'Revoked.' } },
  },
  async (c, { params: { key_id } }) => {
    if ((await c.var.services.apiKeys.revoke(sessionOf(c).address, key_id, unixNow())) === 'missing')
      throw new ApiError('not_found', `You have no API key ${key_id}.`)
    return noContent()
  },
)
