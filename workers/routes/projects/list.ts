import * as z from 'zod'
import { categories, deviceClasses, listingStatuses, listingTexts } from '../../../protocol/manifest/index.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { FoldedAddress, textOf } from '../../http/formats.ts'
import { onePage, pageQuery, paginate } from '../../http/pagination.ts'
import { defineRoute } from '../../route.ts'
import {
  type ListedProject,
  ProjectLists,
  positionOf,
  projectSorts,
  searchWords,
  sortedMatchesMax,
} from '../../stores/project-lists.ts'
import { isOperator } from './access.ts'
import { summaryExample } from './example.ts'
import { ProjectSummary } from './schema.ts'
import { summaryView } from './view.ts'

export const listProjects = defineRoute(
  {
    method: 'get',
    path: '/v1/projects',
    operationId: 'listProjects',
    tag: 'Projects',
    summary: 'Find projects',
    description: `Every word of \`q\` must be the start of a word of name, tagline or tags. A project must match all filters. If more than ${sortedMatchesMax} projects match \`q\` or \`tag\`, orders other than newest show the newest ${sortedMatchesMax}. Only their developer and operators can see projects that are not listed.`,
    query: z.strictObject({
      ...pageQuery,
      q: textOf({ min: 0, max: 100 }).optional().describe('Words to search for.'),
      category: z.enum(categories).optional(),
      tag: textOf(listingTexts.tag).optional().describe('Exactly this tag.'),
      device_class: z.enum(deviceClasses).optional(),
      developer: FoldedAddress.optional(),
      status: z.enum(listingStatuses).default('listed'),
      sort: z.enum(projectSorts).default('newest'),
    }),
    cache: { maxAgeSeconds: 0 },
    errors: ['forbidden'],
    responses: onePage('ProjectPage', ProjectSummary, summaryExample),
  },
  async (c, { query }) => {
    const { q, category, tag, device_class: deviceClass, developer, status, sort } = query
    const words = q === undefined || q.trim() === '' ? undefined : searchWords(q)
    const filters = [q, category, tag, deviceClass, developer, status, sort].map((one) => one ?? null)
    const { rows, next_cursor } = await paginate(c, {
      list: `projects ${JSON.stringify(filters)}`,
      query,
      position: (project: ListedProject) => positionOf(sort, project),
      fetch: async (after, limit) =>
        words?.length === 0
          ? []
          : c.var.services
              .store(ProjectLists)
              .list({ status, category, tag, deviceClass, developer, words }, sort, after, limit),
    })
    const { principal } = c.var
    const own = developer !== undefined && principal?.kind === 'session' && principal.address === developer
    if (status !== 'listed' && !own && !isOperator(c))
      throw new ApiError(
        'forbidden',
        'Projects that are not listed are shown to their developer (with the own address as `developer`) and to operators.',
      )
    return json({ items: rows.map(summaryView), next_cursor })
  },
)
