import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { findVisible } from './access.ts'
import { economicsExample } from './example.ts'
import { EconomicsView, ProjectParams } from './schema.ts'
import { economicsView, manifestOf } from './view.ts'

export const getProjectEconomics = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/economics',
    operationId: 'getProjectEconomics',
    tag: 'Projects',
    summary: 'Read the rewards of a project and the balances of its vault',
    description: 'The vault is as of the indexed block.',
    params: z.object(ProjectParams),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The economics.', EconomicsView, economicsExample),
  },
  async (c, { params: { project_id } }) => {
    const { project, current, vault } = await findVisible(c, project_id)
    return json(economicsView(project, manifestOf(current), vault, await c.var.services.clock.now()))
  },
)
