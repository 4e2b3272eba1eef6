import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { FoldedAddress } from '../../http/formats.ts'
import { pageOf, pageQuery, paginate } from '../../http/pagination.ts'
import { defineRoute } from '../../route.ts'
import type { Module } from '../../stores/modules.ts'
import { ModuleView, moduleExample, moduleView } from './schema.ts'

export const listModules = defineRoute(
  {
    method: 'get',
    path: '/v1/modules',
    operationId: 'listModules',
    tag: 'Modules',
    summary: 'List modules, newest first',
    query: z.strictObject({
      ...pageQuery,
      developer: FoldedAddress.optional().meta({ description: 'Only modules this wallet uploaded.' }),
    }),
    cache: { maxAgeSeconds: 0 },
    responses: {
      200: {
        description: 'One page.',
        schema: pageOf(ModuleView).meta({ id: 'ModulePage' }),
        example: { items: [moduleExample], next_cursor: null },
      },
    },
  },
  async (c, { query }) => {
    const { rows, next_cursor } = await paginate(c, {
      list: `modules developer=${query.developer ?? ''}`,
      query,
      position: ({ deployedAt, manifestAddress }: Module): [number, string] => [deployedAt, manifestAddress],
      fetch: (after, limit) =>
        c.var.services.modules.list({
          limit,
          ...(query.developer !== undefined && { uploader: query.developer }),
          ...(after && { after: { deployedAt: after[0], manifestAddress: after[1] } }),
        }),
    })
    return json({ items: rows.map(moduleView), next_cursor })
  },
)
