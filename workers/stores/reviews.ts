import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import { batch, isChanged, Store } from './database.ts'
import { epochReceipts, epochShares, preferences, projects, reviews, reviewVotes } from './schema/index.ts'

export type Review = typeof reviews.$inferSelect & { authorName: string | null }

export const reviewSorts = ['newest', 'helpful', 'rating_high', 'rating_low'] as const
export type ReviewSort = (typeof reviewSorts)[number]
export type ReviewPosition = [key: number, reviewId: string]

const sortColumns = {
  newest: reviews.createdAt,
  helpful: reviews.helpful,
  rating_high: reviews.rating,
  rating_low: reviews.rating,
} as const

export const reviewPosition = (sort: ReviewSort, review: Review): ReviewPosition => {
  const keys = {
    newest: review.createdAt,
    helpful: review.helpful,
    rating_high: review.rating,
    rating_low: review.rating,
  }
  return [keys[sort], review.reviewId]
}

/** Reviews, and the sum and count of ratings in the project's row, which change in one transaction with them. */
export class ReviewStore extends Store {
  async find(projectId: string, author: string): Promise<Review | null> {
    const [row] = await this.#select().where(
      and(eq(reviews.projectId, projectId), eq(reviews.author, author)),
    )
    return row ?? null
  }

  /**
   * Creates the wallet's review or replaces it, which keeps its id, its age and its votes. Refused without a credited
   * round of the wallet on the project: a share of an attested epoch that no arbiter vetoed.
   */
  async put(review: Omit<Review, 'helpful' | 'authorName'>): Promise<'saved' | 'not_credited'> {
    const { reviewId, projectId, author, comment, createdAt, updatedAt } = review
    // Written out: a bound number is a float to the database, and the average is one of integers.
    const rating = sql.raw(String(Math.trunc(review.rating)))
    // Every share is of a credited round, also while the vault cannot pay it.
    const isCredited = sql`EXISTS (SELECT 1 FROM ${epochShares} AS share
      JOIN ${epochReceipts} AS receipt ON receipt.project_id = share.project_id AND receipt.epoch = share.epoch
      WHERE share.miner = ${author} AND share.project_id = ${projectId} AND receipt.state <> 'vetoed')`
    const before = sql`(SELECT rating FROM ${reviews} WHERE project_id = ${projectId} AND author = ${author})`
    const results = await batch(this.db, [
      sql`UPDATE ${projects} SET rating_sum = rating_sum + ${rating} - coalesce(${before}, 0),
          rating_count = rating_count + (${before} IS NULL)
        WHERE project_id = ${projectId} AND ${isCredited}`,
      this.#average(projectId),
      sql`INSERT INTO ${reviews} (review_id, project_id, author, rating, comment, helpful, created_at, updated_at)
        SELECT ${reviewId}, ${projectId}, ${author}, ${rating}, ${comment}, 0, ${createdAt}, ${updatedAt}
        WHERE ${isCredited}
        ON CONFLICT (project_id, author) DO UPDATE SET rating = excluded.rating, comment = excluded.comment,
          updated_at = excluded.updated_at`,
    ])
    return isChanged(results[2]) ? 'saved' : 'not_credited'
  }

  async delete(projectId: string, author: string): Promise<'deleted' | 'missing'> {
    const own = sql`project_id = ${projectId} AND author = ${author}`
    const rating = sql`(SELECT rating FROM ${reviews} WHERE ${own})`
    const results = await batch(this.db, [
      sql`UPDATE ${projects} SET rating_sum = rating_sum - ${rating}, rating_count = rating_count - 1
        WHERE project_id = ${projectId} AND ${rating} IS NOT NULL`,
      this.#average(projectId),
      sql`DELETE FROM ${reviewVotes} WHERE review_id = (SELECT review_id FROM ${reviews} WHERE ${own})`,
      sql`DELETE FROM ${reviews} WHERE ${own}`,
    ])
    return isChanged(results[3]) ? 'deleted' : 'missing'
  }

  /** Counts the wallet's vote once; not on a review of its own. */
  async vote(projectId: string, reviewId: string, voter: string, now: number): Promise<VoteOutcome> {
    await batch(this.db, [
      sql`UPDATE ${reviews} SET helpful = helpful + 1
        WHERE review_id = ${reviewId} AND project_id = ${projectId} AND author <> ${voter}
        AND NOT EXISTS (SELECT 1 FROM ${reviewVotes} WHERE review_id = ${reviewId} AND voter = ${voter})`,
      sql`INSERT INTO ${reviewVotes} (review_id, voter, created_at)
        SELECT review_id, ${voter}, ${now} FROM ${reviews}
        WHERE review_id = ${reviewId} AND project_id = ${projectId} AND author <> ${voter}
        ON CONFLICT DO NOTHING`,
    ])
    const [review] = await this.db
      .select({ author: reviews.author, helpful: reviews.helpful })
      .from(reviews)
      .where(and(eq(reviews.reviewId, reviewId), eq(reviews.projectId, projectId)))
    if (review === undefined) return { status: 'missing' }
    return review.author === voter ? { status: 'own' } : { status: 'counted', helpful: review.helpful }
  }

  /** `limit` rows after `after`, in the order of `sort`. */
  async list(
    projectId: string,
    sort: ReviewSort,
    after: ReviewPosition | undefined,
    limit: number,
  ): Promise<Review[]> {
    const key = sortColumns[sort]
    const [direction, comparison] = sort === 'rating_low' ? [asc, sql`>`] : [desc, sql`<`]
    return this.#select()
      .where(
        and(
          eq(reviews.projectId, projectId),
          after && sql`(${key}, ${reviews.reviewId}) ${comparison} (${after[0]}, ${after[1]})`,
        ),
      )
      .orderBy(direction(key), direction(reviews.reviewId))
      .limit(limit)
  }

  #select() {
    const { reviewId, projectId, author, rating, comment, helpful, createdAt, updatedAt } = reviews
    return this.db
      .select({
        ...{ reviewId, projectId, author, rating, comment, helpful, createdAt, updatedAt },
        authorName: sql<string | null>`${preferences.preferences}->>'display_name'`,
      })
      .from(reviews)
      .leftJoin(preferences, eq(preferences.address, reviews.author))
  }

  /** The average in hundredths, halves up, as the protocol rounds it. */
  #average(projectId: string): SQL {
    return sql`UPDATE ${projects} SET rating_x100 = CASE rating_count WHEN 0 THEN 0
        ELSE (200 * rating_sum + rating_count) / (2 * rating_count) END
      WHERE project_id = ${projectId}`
  }
}

export type VoteOutcome = { status: 'missing' | 'own' } | { status: 'counted'; helpful: number }
