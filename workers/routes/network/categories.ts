import { categories } from '../../../protocol/manifest/index.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { Categories } from './schema.ts'

export const listCategories = defineRoute(
  {
    method: 'get',
    path: '/v1/categories',
    operationId: 'listCategories',
    tag: 'Network',
    summary: 'List the categories',
    description: 'Every category a listing may name, with the number of listed projects in it.',
    cache: { maxAgeSeconds: 10, keptSeconds: 10 },
    responses: ok('All categories.', Categories, {
      items: categories.map((category) => ({ category, count: 0 })),
    }),
  },
  async (c) => {
    const counts = await c.var.services.projectLists.countsByCategory()
    return json({ items: categories.map((category) => ({ category, count: counts.get(category) ?? 0 })) })
  },
)
