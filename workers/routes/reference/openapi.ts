import { renderOpenApi } from '../../openapi/render.ts'
import { defineRoute } from '../../route.ts'

export const getOpenApi = defineRoute(
  {
    method: 'get',
    path: '/v1/openapi.json',
    operationId: 'getOpenApi',
    tag: 'Reference',
    summary: 'Read the OpenAPI document',
    description: 'With the names of this network and the address of this hub in it.',
    cache: { maxAgeSeconds: 60, keptSeconds: 60 },
    responses: { 200: { description: 'OpenAPI 3.1.0.', contentType: 'application/json' } },
  },
  async (c) => {
    const { text, etag } = await renderOpenApi(c.env.ASSETS, c.var.settings)
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8', ETag: etag },
      body: text,
    }
  },
)
