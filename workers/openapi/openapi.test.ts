import { describe, expect, test } from 'vitest'
import template from '../../public/openapi.json?raw'
import { loadRoutes } from '../routes/index.ts'
import { bodyOf, client, expectRefusal } from '../test/client.ts'
import { problemsOf } from '../test/conformance.ts'
import { openApiText } from './build.ts'
import { memberNames } from './member-names.ts'
import { memberPlaces } from './member-places.ts'

interface Operation {
  operationId: string
  responses: Record<string, unknown>
  requestBody?: { content: Record<string, { schema: unknown; example?: unknown }> }
}

interface Schema {
  $ref?: string
  required?: string[]
  properties?: Record<string, Schema>
  default?: unknown
  description?: string
  [keyword: string]: unknown
}
interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
interface Shown {
  servers: { url: string; variables?: object }[]
  paths: Record<
    string,
    Record<
      string,
      Operation & {
        parameters?: (Media & { name: string; description?: string })[]
        requestBody?: { content: Record<string, Media> }
      }
    >
  >
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, { content?: Record<string, Media> }>
  }
}
/** The document in the repository, where other programs read it too: it has placeholders for the names of a deployment. */
const document = JSON.parse(template) as Shown
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

/** Every value that is given as an example, with its schema and where it is. */
function examplesOf(): { where: string; schema: Schema; value: unknown }[] {
  const inMedia = (where: string, { schema = {}, example, examples = {} }: Media) =>
    [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)].map(
      (value) => ({ where, schema, value }),
    )
  const inContent = (where: string, content: Record<string, Media> = {}) =>
    Object.values(content).flatMap((media) => inMedia(where, media))
  return [
    ...operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => [
      ...parameters.flatMap((parameter) => inMedia(`${operationId} ${parameter.name}`, parameter)),
      ...inContent(`${operationId} body`, requestBody?.content),
      ...Object.entries(responses as Shown['components']['responses']).flatMap(([status, { content }]) =>
        inContent(`${operationId} ${status}`, content),
      ),
    ]),
    ...Object.entries(document.components.responses).flatMap(([name, { content }]) =>
      inContent(name, content),
    ),
  ]
}

/** A schema and everything in it, references followed once. */
function* within(value: unknown, followed = new Set<string>()): Generator<Schema> {
  if (typeof value !== 'object' || value === null) return
  const schema = value as Schema
  yield schema
  const { $ref } = schema
  if ($ref !== undefined && !followed.has($ref)) {
    followed.add($ref)
    yield* within(document.components.schemas[$ref.replace('#/components/schemas/', '')], followed)
  }
  for (const part of Object.values(schema)) yield* within(part, followed)
}

describe('the OpenAPI document', () => {
  test.each(examplesOf().map(({ where, ...one }) => [where, one] as const))(
    '%s: the example is valid under its schema',
    (_, { schema, value }) => expect(problemsOf(document, schema, value)).toEqual([]),
  )

  test('a request member with a default is optional, and answers have no defaults', () => {
    for (const { operationId, requestBody, responses } of operations) {
      for (const { required = [], properties = {} } of within(
        requestBody?.content['application/json']?.schema,
      ))
        for (const [name, member] of Object.entries(properties))
          if (member.default !== undefined) expect(required, `${operationId} ${name}`).not.toContain(name)
      for (const schema of within(responses)) expect(schema, operationId).not.toHaveProperty('default')
    }
  })

  test('every parameter and member is described, and every description is used', () => {
    const isDescribed = ({ $ref = '', description }: Schema) =>
      (description ?? document.components.schemas[$ref.replace('#/components/schemas/', '')]?.description) !==
      undefined
    const missing = [
      ...operations.flatMap(({ operationId, parameters = [] }) =>
        parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
      ),
      ...[...within(document.paths), ...within(document.components.schemas)].flatMap(({ properties = {} }) =>
        Object.entries(properties)
          .filter(([, member]) => typeof member === 'object' && !isDescribed(member))
          .map(([name]) => name),
      ),
    ]
    expect(missing).toEqual([])
    const meanings = [memberNames, memberPlaces].flatMap(Object.entries<string>)
    expect(meanings.filter(([, meaning]) => !template.includes(JSON.stringify(meaning)))).toEqual([])
  })

  test('has one server URL, without variables', () => {
    expect(document.servers.map(({ url }) => new URL(url).href)).toEqual(['https://hub.invalid/'])
  })

  test('matches the routes; `npm run openapi` updates it', async () => {
    expect(template).toBe(openApiText(await loadRoutes()))
  })

  test('names this deployment and its profile', async () => {
    const bindings = {
      PROFILE: '{"service":"Swarm"}',
      BASE_URL: 'https://api.swarm.example',
      LOCAL_NETWORK: 'false',
    }
    const response = await client({ bindings }).get('/v1/openapi.json')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const document = await bodyOf<{ openapi: string; info: { title: string }; servers: unknown }>(response)
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Swarm API', license: { identifier: 'MIT' } },
      servers: [{ url: 'https://api.swarm.example' }],
    })
    expect(JSON.stringify(document)).not.toMatch(/\{\{|hubsess_|X-Hub-/)
  })

  test('503 unavailable: the asset cannot be read', async () => {
    const ASSETS = { fetch: async () => new Response(null, { status: 404 }) } as unknown as Fetcher
    const response = await client({ bindings: { ASSETS } }).get('/v1/openapi.json')
    await expectRefusal(response, '503 unavailable')
  })

  test('every reference resolves, and every component is used', async () => {
    const text = await (await client().get('/v1/openapi.json')).text()
    const { components } = JSON.parse(text) as { components: Record<string, Record<string, unknown>> }
    const used = new Set([...text.matchAll(/"\$ref": ?"#\/components\/([^"]+)"/g)].map(([, name]) => name))
    const defined = ['schemas', 'responses', 'headers'].flatMap((kind) =>
      Object.keys(components[kind] ?? {}).map((name) => `${kind}/${name}`),
    )
    expect([...used].sort()).toEqual(defined.sort())
  })

  test('every operation has a unique id, an example for each JSON body and answer, and the common errors', async () => {
    const { paths } = await bodyOf<{
      paths: Record<string, Record<string, Operation>>
    }>(client().get('/v1/openapi.json'))
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    expect(operations).toHaveLength((await loadRoutes()).length)
    for (const { operationId, responses, requestBody } of operations) {
      for (const status of ['400', '401', '429', '500', '503'])
        expect(responses, `${operationId} ${status}`).toHaveProperty(status)
      const bodies = [requestBody, ...Object.values(responses)] as { content?: Record<string, object> }[]
      for (const body of bodies) {
        const json = body?.content?.['application/json']
        if (json && Object.keys((json as { schema: object }).schema).length > 0)
          expect(
            Object.keys(json).some((key) => key.startsWith('example')),
            operationId,
          ).toBe(true)
      }
    }
  })
})
