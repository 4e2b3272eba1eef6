import * as z from 'zod'
import { reviewActions, reviewMoves } from '../../../protocol/manifest/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { lines } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { sendSoon } from '../../outbox/send-soon.ts'
import { defineRoute, ok } from '../../route.ts'
import { unknownProject } from '../projects/access.ts'
import { projectExample, summaryExample } from '../projects/example.ts'
import { ProjectParams, ProjectSummary, ProjectView } from '../projects/schema.ts'
import { readProjectView, summaryView } from '../projects/view.ts'
import { ofOperators, Reason } from './schema.ts'

const Decision = z
  .strictObject({
    action: z.enum(reviewActions),
    reason: Reason,
    conditions: z
      .array(lines(500, 1))
      .max(20, 'must have at most 20 items')
      .default([])
      .describe('Conditions for the developer; shown with the project.'),
  })
  .meta({ id: 'ProjectDecision' })

export const reviewProject = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/projects/{project_id}/review',
    operationId: 'reviewProject',
    summary: 'Decide about a project',
    description:
      'approve and reject decide a pending review. pause applies to a listed project, resume to a paused one. delist ends a listed, paused or underfunded project. The hub submits the new status to the registry.',
    ...ofOperators,
    params: z.object(ProjectParams),
    json: { schema: Decision, example: { action: 'approve' } },
    errors: ['not_found', 'invalid_state'],
    responses: ok('The project.', ProjectView, projectExample),
  },
  async (c, { params: { project_id }, json: { action, reason, conditions } }) => {
    const { projects, projectDecisions, clock } = c.var.services
    const decision = { operator: sessionOf(c).address, reason, conditions }
    const outcome = await projectDecisions.decide(project_id, action, decision, await clock.now())
    const record = await projects.findRecord(project_id)
    if (record === null) throw unknownProject(project_id)
    const { listingStatus } = record.project
    if (outcome === 'invalid_state')
      throw new ApiError(
        'invalid_state',
        `The project is ${listingStatus}; ${action} needs a project that is ${reviewMoves[action].from.join(' or ')}.`,
        { details: { listing_status: listingStatus } },
      )
    sendSoon(c, 'set_listing_status', project_id)
    // A listed project has committees from this epoch on.
    if (listingStatus === 'listed') c.executionCtx.waitUntil(wakeCommittees(c, project_id))
    return json(await readProjectView(c, record))
  },
)

/** The schedule does it again should it fail. */
async function wakeCommittees(
  { var: { services, requestId } }: HubContext,
  projectId: string,
): Promise<void> {
  await services
    .committees?.(projectId)
    .wake(projectId)
    .catch((error) => console.error(`${requestId} the committee sets could not be begun`, error))
}

export const listReviewQueue = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/review-queue',
    operationId: 'listReviewQueue',
    summary: 'List the projects that wait for review, oldest first',
    description: 'They are registered on chain, and no operator has decided about them.',
    ...ofOperators,
    query: z.strictObject(pageQuery),
    responses: onePage('ReviewQueuePage', ProjectSummary, {
      ...summaryExample,
      listing_status: 'pending_review' as const,
    }),
  },
  (c, { query }) =>
    answerPage(c, {
      list: 'review-queue',
      query,
      by: ['ordinal'],
      fetch: (after, limit) =>
        c.var.services.projectDecisions.awaitingReview(after?.ordinal ?? undefined, limit),
      view: summaryView,
    }),
)
