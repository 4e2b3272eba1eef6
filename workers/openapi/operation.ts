import type * as z from 'zod'
import type { RouteDeclaration, RouteResponse } from '../route.ts'
import { type Components, everyAnswer, headersOf, type Json, jsonSchema } from './components.ts'
import { errorContent, failures } from './failures.ts'

export function operation(declaration: RouteDeclaration, shared: Components): Json {
  const { operationId, tag, summary, description, auth } = declaration
  const parameters = parametersOf(declaration, shared)
  return {
    operationId,
    tags: [tag],
    summary,
    // Tools read scopes in `security` as those of OAuth.
    description: auth?.apiKey ? `${description} An API key needs the scope \`${auth.apiKey}\`.` : description,
    security: auth
      ? [
          ...(auth.session || auth.operator ? [{ session: [] }] : []),
          ...(auth.apiKey ? [{ apiKey: [] }] : []),
          ...(auth.node ? [{ nodeSignature: [] }] : []),
        ]
      : [],
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(declaration, shared),
    responses: { ...successes(declaration, shared), ...failures(declaration, shared) },
  }
}

function parametersOf(
  { params, query, headers, idempotent, cache }: RouteDeclaration,
  shared: Components,
): Json[] {
  const fromObject = (place: 'path' | 'query', object: z.ZodObject | undefined) =>
    Object.entries(object?.shape ?? {}).map(([name, type]) => {
      const required = place === 'path' || !type.safeParse(undefined).success
      const { description, example, schema, ...rest } = jsonSchema(type as z.ZodType, shared)
      return {
        name,
        in: place,
        required,
        ...(description !== undefined && { description }),
        schema: schema ?? rest,
        ...(example !== undefined && { example }),
      }
    })
  const fromHeader = (name: string, text: string, schema: Json = { type: 'string' }) => ({
    name,
    in: 'header',
    required: false,
    description: text,
    schema,
  })
  return [
    ...fromObject('path', params),
    ...fromObject('query', query),
    ...Object.entries(headers ?? {}).map(([name, text]) => fromHeader(name, text)),
    ...(cache
      ? [fromHeader('If-None-Match', 'ETag of the copy you hold; the same one is answered with 304.')]
      : []),
    ...(idempotent
      ? [
          fromHeader(
            'Idempotency-Key',
            'Names what is to be done once. Repeats of this call with the same key and body get the first answer, for a day; after a failure the next one does what is missing. A refusal is not kept.',
            {
              type: 'string',
              minLength: 1,
              maxLength: 255,
            },
          ),
        ]
      : []),
  ]
}

function requestBody({ json, raw }: RouteDeclaration, shared: Components): Json {
  if (json)
    return {
      requestBody: {
        required: !json.optional,
        content: { 'application/json': { schema: jsonSchema(json.schema, shared), example: json.example } },
      },
    }
  if (raw)
    return {
      requestBody: {
        required: true,
        description: raw.description,
        content: { [raw.contentType]: { schema: {} } },
      },
    }
  return {}
}

function successes({ responses, cache, query }: RouteDeclaration, shared: Components): Json {
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    {
      description: response.description,
      headers: headersOf(
        {
          ...everyAnswer,
          ...(cache && Number(status) === 200 && { ETag: 'Names this representation.' }),
          ...(query &&
            ('cursor' in query.shape || 'after' in query.shape) && {
              Link: 'The next page, as `rel="next"`; absent on the last one.',
            }),
          ...response.headers,
        },
        shared,
      ),
      ...content(response, shared),
    },
  ])
  if (!cache) return Object.fromEntries(answers)
  shared.responses.not_modified = {
    description: 'You hold this representation already.',
    headers: headersOf(everyAnswer, shared),
  }
  return Object.fromEntries([...answers, ['304', { $ref: '#/components/responses/not_modified' }]])
}

function content({ schema, example, contentType, code }: RouteResponse, shared: Components): Json {
  if (code !== undefined) return errorContent([code])
  if (contentType === undefined && schema === undefined) return {}
  return {
    content: {
      ...(schema && { 'application/json': { schema: jsonSchema(schema, shared, 'output'), example } }),
      ...Object.fromEntries([contentType ?? []].flat().map((type) => [type, { schema: {} }])),
    },
  }
}
