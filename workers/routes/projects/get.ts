import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { findVisible } from './access.ts'
import { projectExample } from './example.ts'
import { ProjectParams, ProjectView } from './schema.ts'
import { readBounds } from './stats.ts'
import { projectView } from './view.ts'

export const getProject = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}',
    operationId: 'getProject',
    tag: 'Projects',
    summary: 'Read a project',
    description:
      'Public while it is listed, paused, underfunded or delisted; otherwise only its developer and operators can read it. A slug is answered with 404, which names the id in `details.project_id` if one project that the caller can see has this slug.',
    params: z.object(ProjectParams),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The project.', ProjectView, projectExample),
  },
  async (c, { params: { project_id } }) => {
    const [record, today] = await Promise.all([findVisible(c, project_id), readBounds(c, project_id, '24h')])
    return json(projectView(record, today))
  },
)
