import * as z from 'zod'
import { roundStates } from '../../../protocol/rounds/index.ts'
import type { HubContext } from '../../context.ts'
import { type Answer, json } from '../../http/answer.ts'
import { PathBytes32, PathProject } from '../../http/formats.ts'
import { keptPage, pageQuery, paginate, readsOn } from '../../http/pagination.ts'
import { defineRoute } from '../../route.ts'
import { type ListedRound, type RoundFilter, RoundLists, roundPosition } from '../../stores/round-lists.ts'
import { findVisibleProject } from '../projects/access.ts'
import { ProjectParams } from '../projects/schema.ts'
import { RoundSummary, roundKinds, summaryExample } from './schema.ts'
import { attemptIn, summaryView } from './view.ts'

export const roundPage = keptPage('RoundPage', RoundSummary, summaryExample)

export const listProjectRounds = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/rounds',
    operationId: 'listProjectRounds',
    tag: 'Projects',
    summary: 'List the rounds of a project, newest first',
    description:
      'One round for each scheduled task, and one for each epoch that validators attested. A round is listed at most two seconds after its end, and an open one once it is open for 15 seconds.',
    params: z.object(ProjectParams),
    query: z.strictObject(pageQuery),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: roundPage,
  },
  async (c, { params: { project_id: projectId }, query }) => {
    const [answer] = await Promise.all([
      answerRounds(c, query, { projectId }),
      findVisibleProject(c, projectId),
    ])
    return answer
  },
)

export const listRounds = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/rounds',
    operationId: 'listRounds',
    tag: 'Explorer',
    summary: 'List all rounds, newest first',
    description: `Rounds of tasks, direct rounds, and rounds of epochs that validators attested. Module rewards have no rounds. A round is listed at most two seconds after its end, and an open one once it is open for 15 seconds. ${readsOn('With a project and a module')}`,
    query: z.strictObject({
      ...pageQuery,
      project_id: PathProject.optional(),
      module: PathBytes32.optional(),
      kind: z.enum(roundKinds).optional(),
      state: z.enum(roundStates).optional(),
    }),
    cache: { maxAgeSeconds: 0 },
    responses: roundPage,
  },
  async (c, { query: { project_id: projectId, module, kind, state, ...page } }) =>
    answerRounds(c, page, { projectId, module, kind, state }),
)

/** The answer with one page of rounds. */
export async function answerRounds(
  c: HubContext,
  query: { limit?: number | undefined; cursor?: string | undefined },
  filter: RoundFilter,
): Promise<Answer> {
  const { projectId = '', module = '', kind = '', state = '' } = filter
  let archivedBefore: number | null = null
  const { rows, next_cursor } = await paginate(c, {
    list: `rounds project=${projectId} module=${module} kind=${kind} state=${state}`,
    query,
    position: (round: ListedRound): [number, string] => {
      const { createdAt, name } = roundPosition(round)
      return [createdAt, name]
    },
    ...(module !== '' &&
      projectId !== '' && { keep: ({ moduleAddress }: ListedRound) => moduleAddress === module }),
    fetch: async (after, limit) => {
      const position = after && { createdAt: after[0], name: after[1] }
      const { paramsSchedule, store } = c.var.services
      const listed = await store(RoundLists).list(filter, position, limit, attemptIn(paramsSchedule))
      archivedBefore = listed.archivedBefore
      return listed.rounds
    },
  })
  const isLast = next_cursor === null && archivedBefore !== null
  return json({
    items: rows.map(summaryView),
    next_cursor,
    ...(isLast && { archived_before: archivedBefore }),
  })
}
