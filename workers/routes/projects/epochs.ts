import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { pageQuery } from '../../http/pagination.ts'
import { defineRoute, ok } from '../../route.ts'
import { EpochPage, epochPageExample, listEpochs } from '../explorer/epoch-list.ts'
import { findVisible } from './access.ts'
import { ProjectParams } from './schema.ts'

export const listProjectEpochs = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/epochs',
    operationId: 'listProjectEpochs',
    tag: 'Projects',
    summary: 'List the epochs of a project, newest first',
    description: 'The running epoch, the previous epoch, and all epochs that validators attested.',
    params: z.object(ProjectParams),
    query: z.strictObject(pageQuery),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('One page.', EpochPage, epochPageExample),
  },
  async (c, { params: { project_id: id }, query }) =>
    json(await listEpochs(c, query, { id, record: findVisible(c, id) })),
)
