import { and, asc, gt, sql } from 'drizzle-orm'
import { type ReviewAction, reviewMoves } from '../../protocol/manifest/index.ts'
import { auditStatement, type OperatorAction } from './audit-log.ts'
import { batch, isChanged, Store } from './database.ts'
import { wantStatement } from './hub-actions.ts'
import type { Project } from './projects.ts'
import { projects } from './schema/index.ts'

/** What operators decide about projects. */
export class ProjectDecisionStore extends Store {
  /** Moves the project, notes it, and wants the registry to be told. Refused in every status the move does not begin in; of racing moves one happens. */
  async decide(
    projectId: string,
    action: ReviewAction,
    decision: Pick<OperatorAction, 'operator' | 'reason'> & { conditions: readonly string[] },
    now: number,
  ): Promise<'decided' | 'invalid_state'> {
    const { from, to, review } = reviewMoves[action]
    const { operator, reason, conditions } = decision
    const found = sql`project_id = ${projectId}
      AND listing_status IN (SELECT value FROM json_each(${JSON.stringify(from)}))`
    const results = await batch(this.db, [
      auditStatement(
        {
          operator,
          reason,
          action: `project.${action}`,
          subject: projectId,
          after: { listing_status: to, conditions },
        },
        now,
        sql`SELECT json_object('listing_status', listing_status, 'conditions', json(review_conditions)) AS value
          FROM ${projects} WHERE ${found}`,
      ),
      wantStatement(
        { kind: 'set_listing_status', subject: projectId, wanted: { listing_status: to } },
        now,
        sql`SELECT 1 FROM ${projects} WHERE ${found}`,
      ),
      sql`UPDATE ${projects} SET listing_status = ${to}, review_status = ${review}, review_reason = ${reason},
          review_conditions = ${JSON.stringify(conditions)}, reviewed_at = ${now},
          listed_at = CASE WHEN ${to} = 'listed' THEN coalesce(listed_at, ${now}) ELSE listed_at END
        WHERE ${found}`,
    ])
    return isChanged(results[2]) ? 'decided' : 'invalid_state'
  }

  /** Projects that await review, longest waiting first; `limit` rows after `after`. */
  async awaitingReview(after: number | undefined, limit: number): Promise<Project[]> {
    return this.db
      .select()
      .from(projects)
      .where(
        and(
          sql`${projects.listingStatus} = 'pending_review'`,
          after === undefined ? undefined : gt(projects.ordinal, after),
        ),
      )
      .orderBy(asc(projects.ordinal))
      .limit(limit)
  }
}
