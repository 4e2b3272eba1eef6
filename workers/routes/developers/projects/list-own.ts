import * as z from 'zod'
import { json } from '../../../http/answer.ts'
import { pageOf, pageQuery, paginate } from '../../../http/pagination.ts'
import { callerOf } from '../../../middleware/authenticate.ts'
import { defineRoute } from '../../../route.ts'
import { projectsOfCredential } from '../../../stores/caller.ts'
import type { Project } from '../../../stores/projects.ts'
import { summaryExample } from '../../projects/example.ts'
import { ProjectSummary } from '../../projects/schema.ts'
import { summaryView } from '../../projects/view.ts'

export const listOwnProjects = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/me/projects',
    operationId: 'listOwnProjects',
    tag: 'Projects',
    summary: 'List your projects, newest first',
    description: 'In every status. An API key that is restricted to some projects lists only those.',
    auth: { session: true, apiKey: 'projects:read' },
    query: z.strictObject(pageQuery),
    responses: {
      200: {
        description: 'One page.',
        schema: pageOf(ProjectSummary).meta({ id: 'OwnProjectPage' }),
        example: { items: [summaryExample], next_cursor: null },
      },
    },
  },
  async (c, { query }) => {
    const owner = callerOf(c)
    const only = projectsOfCredential(c.var.credential)
    const { rows, next_cursor } = await paginate(c, {
      list: 'own-projects',
      isOwn: true,
      query,
      position: ({ ordinal }: Project): [number] => [ordinal ?? 0],
      fetch: (after, limit) => c.var.services.projects.listOwn(owner, only, after?.[0], limit),
    })
    return json({ items: rows.map(summaryView), next_cursor })
  },
)
