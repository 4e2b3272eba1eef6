import { describe, expect, test } from 'vitest'
import template from '../../public/openapi.json?raw'
import { loadRoutes } from '../routes/index.ts'
import { client, errorOf } from '../test/client.ts'
import { openApiText } from './build.ts'

interface Operation {
  operationId: string
  responses: Record<string, unknown>
  requestBody?: { content: Record<string, { schema: unknown; example?: unknown }> }
}

describe('the OpenAPI document', () => {
  test('is the one the routes make; `npm run openapi` writes it again', async () => {
    expect(template).toBe(openApiText(await loadRoutes()))
  })

  test('names this deployment and its profile', async () => {
    const bindings = { PROFILE: '{"service":"Swarm"}', BASE_URL: 'https://api.swarm.example' }
    const response = await client({ bindings }).get('/v1/openapi.json')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const document = (await response.json()) as { openapi: string; info: { title: string }; servers: unknown }
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
    expect(await errorOf(response)).toMatchObject({ status: 503, error: 'unavailable' })
  })

  test('every reference leads somewhere, and nothing is defined for nobody', async () => {
    const text = await (await client().get('/v1/openapi.json')).text()
    const { components } = JSON.parse(text) as { components: Record<string, Record<string, unknown>> }
    const used = new Set([...text.matchAll(/"\$ref": ?"#\/components\/([^"]+)"/g)].map(([, name]) => name))
    const defined = ['schemas', 'responses', 'headers'].flatMap((kind) =>
      Object.keys(components[kind] ?? {}).map((name) => `${kind}/${name}`),
    )
    expect([...used].sort()).toEqual(defined.sort())
  })

  test('every operation has an id of its own, an example for each JSON body and answer, and every error', async () => {
    const { paths } = (await (await client().get('/v1/openapi.json')).json()) as {
      paths: Record<string, Record<string, Operation>>
    }
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
