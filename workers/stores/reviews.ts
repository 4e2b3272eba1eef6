import { and, asc, desc, eq, getTableColumns, inArray, ne, sql } from 'drizzle-orm'
import { batch, isChanged, Store } from './database.ts'
import { epochReceipts, epochShares, preferences, projects, reviews, reviewVotes } from './schema/index.ts'
import { insertFrom, isSameEpoch, replaced } from './statements.ts'

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
    const { projectId, author } = review
    // Written out: a bound number is a float to the database, and the average is one of integers.
    const rating = sql.raw(String(Math.trunc(review.rating)))
    // Every share is of a credited round, also while the vault cannot pay it.
    const isCredited = sql`EXISTS (SELECT 1 FROM ${epochShares} JOIN ${epochReceipts} ON ${isSameEpoch(epochReceipts, epochShares)}
      WHERE ${epochShares.miner} = ${author} AND ${epochShares.projectId} = ${projectId}
        AND ${epochReceipts.state} <> 'vetoed')`
    const before = sql`(SELECT ${reviews.rating} FROM ${reviews} WHERE ${isOf(projectId, author)})`
    const results = await batch(this.db, [
      this.db
        .update(projects)
        .set({
          ratingSum: sql`${projects.ratingSum} + ${rating} - coalesce(${before}, 0)`,
          ratingCount: sql`${projects.ratingCount} + (${before} IS NULL)`,
        })
        .where(and(eq(projects.projectId, projectId), isCredited)),
      this.#average(projectId),
      insertFrom(reviews, { ...review, rating, helpful: 0 }, sql`WHERE ${isCredited}`).onConflictDoUpdate({
        target: [reviews.projectId, reviews.author],
        set: replaced(reviews, ['rating', 'comment', 'updatedAt']),
      }),
    ])
    return isChanged(results[2]) ? 'saved' : 'not_credited'
  }

  async delete(projectId: string, author: string): Promise<void> {
    const own = isOf(projectId, author)
    const rating = sql`(SELECT ${reviews.rating} FROM ${reviews} WHERE ${own})`
    const reviewId = this.db.select({ id: reviews.reviewId }).from(reviews).where(own)
    await batch(this.db, [
      this.db
        .update(projects)
        .set({
          ratingSum: sql`${projects.ratingSum} - ${rating}`,
          ratingCount: sql`${projects.ratingCount} - 1`,
        })
        .where(and(eq(projects.projectId, projectId), sql`${rating} IS NOT NULL`)),
      this.#average(projectId),
      this.db.delete(reviewVotes).where(inArray(reviewVotes.reviewId, reviewId)),
      this.db.delete(reviews).where(own),
    ])
  }

  /** Counts the wallet's vote once; not on a review of its own. */
  async vote(projectId: string, reviewId: string, voter: string, now: number): Promise<VoteOutcome> {
    const found = and(eq(reviews.reviewId, reviewId), eq(reviews.projectId, projectId))
    const others = and(found, ne(reviews.author, voter))
    const voted = sql`EXISTS (SELECT 1 FROM ${reviewVotes}
      WHERE ${reviewVotes.reviewId} = ${reviewId} AND ${reviewVotes.voter} = ${voter})`
    await batch(this.db, [
      this.db
        .update(reviews)
        .set({ helpful: sql`${reviews.helpful} + 1` })
        .where(and(others, sql`NOT ${voted}`)),
      insertFrom(
        reviewVotes,
        { reviewId, voter, createdAt: now },
        sql`FROM ${reviews} WHERE ${others}`,
      ).onConflictDoNothing(),
    ])
    const [review] = await this.db
      .select({ author: reviews.author, helpful: reviews.helpful })
      .from(reviews)
      .where(found)
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
    return this.db
      .select({
        ...getTableColumns(reviews),
        authorName: sql<string | null>`${preferences.preferences}->>'display_name'`,
      })
      .from(reviews)
      .leftJoin(preferences, eq(preferences.address, reviews.author))
  }

  /** The average in hundredths, halves up, as the protocol rounds it. */
  #average(projectId: string) {
    const { ratingSum, ratingCount } = projects
    const ratingX100 = sql`CASE ${ratingCount} WHEN 0 THEN 0
      ELSE (200 * ${ratingSum} + ${ratingCount}) / (2 * ${ratingCount}) END`
    return this.db.update(projects).set({ ratingX100 }).where(eq(projects.projectId, projectId))
  }
}

export type VoteOutcome = { status: 'missing' | 'own' } | { status: 'counted'; helpful: number }

const isOf = (projectId: string, author: string) =>
  and(eq(reviews.projectId, projectId), eq(reviews.author, author))
