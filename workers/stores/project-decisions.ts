import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import { type ListingStatus, type ReviewAction, reviewMoves } from '../../protocol/manifest/index.ts'
import { auditStatement, type Decision } from './audit-log.ts'
import { batch, isChanged, Store } from './database.ts'
import { wantStatement } from './hub-actions.ts'
import type { Project } from './projects.ts'
import { projects } from './schema/index.ts'

export class ProjectDecisionStore extends Store {
  /** Moves the project, notes it, and wants the registry to be told. Refused in every status the move does not begin in; of racing moves one happens. */
  async decide(
    projectId: string,
    action: ReviewAction,
    { conditions, ...decision }: Decision & { conditions: readonly string[] },
    now: number,
  ): Promise<'decided' | 'invalid_state'> {
    const { from, to, review } = reviewMoves[action]
    const { listingStatus, reviewConditions, listedAt } = projects
    const found = and(eq(projects.projectId, projectId), inArray(listingStatus, from))
    const results = await batch(this.db, [
      auditStatement(
        {
          ...decision,
          action: `project.${action}`,
          subject: projectId,
          after: { listing_status: to, conditions },
        },
        now,
        sql`SELECT json_object('listing_status', ${listingStatus}, 'conditions', json(${reviewConditions})) AS value
          FROM ${projects} WHERE ${found}`,
      ),
      listingWish(projectId, to, now, found),
      this.db
        .update(projects)
        .set({
          listingStatus: to,
          reviewStatus: review,
          reviewReason: decision.reason,
          reviewConditions: conditions,
          reviewedAt: now,
          ...(to === 'listed' && { listedAt: sql`coalesce(${listedAt}, ${now})` }),
        })
        .where(found),
    ])
    return isChanged(results[2]) ? 'decided' : 'invalid_state'
  }

  /**
   * Moves a listed project to underfunded, when an epoch exceeds what its vault has free, or back, and wants the registry to be told. Any
   * other status stays. @param now - Network time.
   */
  async setFunded(projectId: string, isFunded: boolean, now: number): Promise<'moved' | 'stays'> {
    const [from, to] = isFunded ? (['underfunded', 'listed'] as const) : (['listed', 'underfunded'] as const)
    const found = and(eq(projects.projectId, projectId), eq(projects.listingStatus, from))
    const results = await batch(this.db, [
      listingWish(projectId, to, now, found),
      this.db.update(projects).set({ listingStatus: to }).where(found),
    ])
    return isChanged(results[1]) ? 'moved' : 'stays'
  }

  /** Projects that await review, longest waiting first; `limit` rows after `after`. */
  async awaitingReview(after: number | undefined, limit: number): Promise<Project[]> {
    return this.db
      .select()
      .from(projects)
      .where(
        and(
          // As the index of such projects has it, word for word.
          sql`${projects.listingStatus} = 'pending_review'`,
          after === undefined ? undefined : gt(projects.ordinal, after),
        ),
      )
      .orderBy(asc(projects.ordinal))
      .limit(limit)
  }
}

/** Wants the registry to be told the status of a project that `found` finds. */
const listingWish = (projectId: string, status: ListingStatus, now: number, found: SQL | undefined) =>
  wantStatement(
    { kind: 'set_listing_status', subject: projectId, wanted: { listing_status: status } },
    now,
    sql`SELECT 1 FROM ${projects} WHERE ${found}`,
  )
