import * as z from 'zod'
import { FoldedAddress } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { defineRoute } from '../../route.ts'
import { ModuleView, moduleExample, moduleView } from './schema.ts'

export const listModules = defineRoute(
  {
    method: 'get',
    path: '/v1/modules',
    operationId: 'listModules',
    tag: 'Modules',
    summary: 'List modules, newest first',
    description: 'With `developer`, only the modules that this wallet uploaded.',
    query: z.strictObject({
      ...pageQuery,
      developer: FoldedAddress.optional().describe('Only modules this wallet uploaded.'),
    }),
    cache: { maxAgeSeconds: 0 },
    responses: onePage('ModulePage', ModuleView, moduleExample),
  },
  (c, { query }) =>
    answerPage(c, {
      list: `modules developer=${query.developer ?? ''}`,
      query,
      by: ['deployedAt', 'manifestAddress'],
      fetch: (after, limit) =>
        c.var.services.modules.list({
          limit,
          ...(query.developer !== undefined && { uploader: query.developer }),
          ...(after && { after }),
        }),
      view: moduleView,
    }),
)
