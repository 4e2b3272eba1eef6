import * as z from 'zod'
import { answerPage, onePage, pageQuery } from '../../../http/pagination.ts'
import { callerOf } from '../../../middleware/authenticate.ts'
import { defineRoute } from '../../../route.ts'
import { projectsOfCredential } from '../../../stores/caller.ts'
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
    responses: onePage('OwnProjectPage', ProjectSummary, summaryExample),
  },
  (c, { query }) => {
    const only = projectsOfCredential(c.var.credential)
    return answerPage(c, {
      list: 'own-projects',
      isOwn: true,
      query,
      by: ['ordinal'],
      fetch: (after, limit) =>
        c.var.services.projects.listOwn(callerOf(c), only, after?.ordinal ?? undefined, limit),
      view: summaryView,
    })
  },
)
