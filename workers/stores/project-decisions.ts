import { and, asc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'
import { type ReviewAction, reviewMoves } from '../../protocol/manifest/index.ts'
import { auditStatement, type OperatorAction } from './audit-log.ts'
import { batch, type Database, isChanged, query, read } from './database.ts'
import type { Project } from './projects.ts'
import { chainStates, projects } from './schema.ts'

export type ListingMirror = Pick<Project, 'projectId' | 'listingStatus'> & { since: number }

/** What operators decide about projects, and which of it the registry still has to be told. */
export class ProjectDecisionStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /** Moves the project and notes it. Refused in every status the move does not begin in; of racing moves one happens. */
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
    const results = await batch(this.#db, [
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
      sql`UPDATE ${projects} SET listing_status = ${to}, review_status = ${review}, review_reason = ${reason},
          review_conditions = ${JSON.stringify(conditions)}, reviewed_at = ${now}, mirror_since = ${now},
          listed_at = CASE WHEN ${to} = 'listed' THEN coalesce(listed_at, ${now}) ELSE listed_at END
        WHERE ${found}`,
    ])
    return isChanged(results[1]) ? 'decided' : 'invalid_state'
  }

  /** Projects that await review, longest waiting first; `limit` rows after `after`. */
  async awaitingReview(after: number | undefined, limit: number): Promise<Project[]> {
    return read(() =>
      this.#db
        .select()
        .from(projects)
        .where(
          and(
            sql`${projects.listingStatus} = 'pending_review'`,
            after === undefined ? undefined : gt(projects.ordinal, after),
          ),
        )
        .orderBy(asc(projects.ordinal))
        .limit(limit),
    )
  }

  /** Statuses decided at `before` or earlier that the registry does not have yet, as far as it is indexed. */
  async toMirror(before: number, limit: number): Promise<ListingMirror[]> {
    await query(
      this.#db.run(sql`
        UPDATE ${projects} SET mirror_since = NULL WHERE mirror_since IS NOT NULL AND EXISTS (
          SELECT 1 FROM ${chainStates} AS s WHERE s.kind = 'project' AND s.subject = ${projects.projectId}
            AND s.state->>'listing_status' = ${projects.listingStatus})`),
    )
    const rows = await read(() =>
      this.#db
        .select({
          projectId: projects.projectId,
          listingStatus: projects.listingStatus,
          since: projects.mirrorSince,
        })
        .from(projects)
        .innerJoin(
          chainStates,
          and(eq(chainStates.kind, 'project'), eq(chainStates.subject, projects.projectId)),
        )
        .where(and(isNotNull(projects.mirrorSince), lte(projects.mirrorSince, before)))
        .orderBy(asc(projects.mirrorSince))
        .limit(limit),
    )
    return rows.flatMap(({ since, ...row }) => (since === null ? [] : [{ ...row, since }]))
  }
}
