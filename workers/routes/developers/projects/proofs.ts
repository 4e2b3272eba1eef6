import * as z from 'zod'
import { pageQuery } from '../../../http/pagination.ts'
import { defineRoute } from '../../../route.ts'
import { findOwn } from '../../projects/access.ts'
import { answerRounds, roundPage } from '../../rounds/list.ts'
import { ofOwnProject } from './analytics.ts'

export const listProjectProofs = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/projects/{project_id}/proofs',
    operationId: 'listProjectProofs',
    summary: 'List how the tasks of your project were proven, newest first',
    description:
      'One round for each task, with its votes, those that agree, and whether validators ran it again. A round is listed at most two seconds after its end.',
    ...ofOwnProject,
    query: z.strictObject(pageQuery),
    responses: roundPage,
  },
  async (c, { params: { project_id: projectId }, query }) => {
    const [answer] = await Promise.all([
      answerRounds(c, query, { projectId, kind: 'task' }),
      findOwn(c, projectId),
    ])
    return answer
  },
)
