import { categories } from '../../../protocol/manifest/index.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { ProjectLists } from '../../stores/project-lists.ts'
import { Categories } from './schema.ts'

const names: Record<(typeof categories)[number], string> = {
  blockchain: 'Blockchain',
  depin: 'DePIN',
  'machine-learning': 'Machine learning',
  storage: 'Storage',
  compute: 'Compute',
  bandwidth: 'Bandwidth',
  'data-sovereignty': 'Data sovereignty',
  iot: 'IoT',
  'hardware-staking': 'Hardware staking',
  'content-delivery': 'Content delivery',
}

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
      items: categories.map((slug) => ({ slug, name: names[slug], projects: 0 })),
    }),
  },
  async (c) => {
    const counts = await c.var.services.store(ProjectLists).countsByCategory()
    return json({
      items: categories.map((slug) => ({ slug, name: names[slug], projects: counts.get(slug) ?? 0 })),
    })
  },
)
