import * as z from 'zod'
import { averageRatingX100, ratings, reviewCommentMax } from '../../../protocol/manifest/index.ts'
import { randomAlphanumerics } from '../../auth/random.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json, noContent } from '../../http/answer.ts'
import { Address, Bytes32, lines, Timestamp } from '../../http/formats.ts'
import { pageQuery, paginate } from '../../http/pagination.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { type Review, ReviewStore, reviewPosition, reviewSorts } from '../../stores/reviews.ts'
import { findVisibleProject } from './access.ts'
import { hashesExample } from './example.ts'
import { ProjectParams } from './schema.ts'

const Rating = z.int().min(ratings.min).max(ratings.max)

const ReviewView = z
  .strictObject({
    review_id: z.string(),
    project_id: Bytes32,
    author: Address,
    author_name: z.string().nullable().describe('From the author’s preferences.'),
    rating: Rating,
    comment: z.string(),
    helpful: z.int(),
    verified_miner: z.boolean().describe('Whether the author had credited rounds on the project.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Review' })

const ReviewPage = z
  .strictObject({
    items: z.array(ReviewView),
    next_cursor: z.string().nullable(),
    average_rating_x100: z.int().nullable(),
    count: z.int(),
  })
  .meta({ id: 'ReviewPage' })

const ReviewInput = z
  .strictObject({ rating: Rating, comment: lines(reviewCommentMax) })
  .meta({ id: 'ReviewInput' })

const reviewExample = {
  review_id: 'Zk3v9QpXw7LrT2sB',
  project_id: hashesExample.project_id,
  author: example.wallet,
  author_name: 'Ada',
  rating: 5,
  comment: 'Steady work, paid on time.',
  helpful: 3,
  verified_miner: true,
  created_at: example.time,
  updated_at: example.time,
}

const reviewView = (review: Review): z.output<typeof ReviewView> => ({
  review_id: review.reviewId,
  project_id: review.projectId,
  author: review.author,
  author_name: review.authorName,
  rating: review.rating,
  comment: review.comment,
  helpful: review.helpful,
  verified_miner: true,
  created_at: review.createdAt,
  updated_at: review.updatedAt,
})

export const listReviews = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/reviews',
    operationId: 'listReviews',
    tag: 'Projects',
    summary: 'List the reviews of a project',
    description: '`sort` chooses the order.',
    params: z.object(ProjectParams),
    query: z.strictObject({ ...pageQuery, sort: z.enum(reviewSorts).default('newest') }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('One page, with the average rating and the number of all reviews.', ReviewPage, {
      items: [reviewExample],
      next_cursor: null,
      average_rating_x100: 500,
      count: 1,
    }),
  },
  async (c, { params: { project_id }, query }) => {
    const visible = findVisibleProject(c, project_id)
    const page = paginate(c, {
      list: `reviews project=${project_id} sort=${query.sort}`,
      query,
      position: (review: Review) => reviewPosition(query.sort, review),
      fetch: (after, limit) => c.var.services.store(ReviewStore).list(project_id, query.sort, after, limit),
    })
    const [{ ratingSum, ratingCount }, { rows, next_cursor }] = await Promise.all([visible, page])
    return json({
      items: rows.map(reviewView),
      next_cursor,
      average_rating_x100: averageRatingX100(ratingSum, ratingCount),
      count: ratingCount,
    })
  },
)

export const putReview = defineRoute(
  {
    method: 'put',
    path: '/v1/projects/{project_id}/reviews',
    operationId: 'putReview',
    tag: 'Projects',
    summary: 'Write or replace your review',
    description:
      'For wallets with at least one credited round on the project. A replaced review keeps its id and votes.',
    auth: { session: true },
    stores: 'records',
    params: z.object(ProjectParams),
    json: { schema: ReviewInput, example: { rating: 5, comment: 'Steady work, paid on time.' } },
    errors: ['not_found'],
    responses: ok('The saved review.', ReviewView, reviewExample),
  },
  async (c, { params: { project_id }, json: { rating, comment } }) => {
    const { store, clock } = c.var.services
    const reviews = store(ReviewStore)
    const author = sessionOf(c).address
    await findVisibleProject(c, project_id)
    const now = await clock.now()
    const fresh = { reviewId: randomAlphanumerics(16), projectId: project_id, author }
    const outcome = await reviews.put({ ...fresh, rating, comment, createdAt: now, updatedAt: now })
    if (outcome === 'not_credited')
      throw new ApiError(
        'forbidden',
        'Reviews are for miners with at least one credited round on the project.',
      )
    const review = await reviews.find(project_id, author)
    if (review === null) throw missing(project_id)
    return json(reviewView(review))
  },
)

export const deleteReview = defineRoute(
  {
    method: 'delete',
    path: '/v1/projects/{project_id}/reviews',
    operationId: 'deleteReview',
    tag: 'Projects',
    summary: 'Delete your review',
    description: 'It no longer counts in the rating of the project.',
    auth: { session: true },
    params: z.object(ProjectParams),
    errors: ['not_found'],
    responses: { 204: { description: 'Deleted, or it did not exist.' } },
  },
  async (c, { params: { project_id } }) => {
    await findVisibleProject(c, project_id)
    await c.var.services.store(ReviewStore).delete(project_id, sessionOf(c).address)
    return noContent()
  },
)

const missing = (projectId: string) => new ApiError('not_found', `You have no review of ${projectId}.`)

export const voteHelpful = defineRoute(
  {
    method: 'post',
    path: '/v1/projects/{project_id}/reviews/{review_id}/helpful',
    operationId: 'voteHelpful',
    tag: 'Projects',
    summary: 'Call a review helpful',
    description: 'Each wallet counts once, and cannot vote for its own review.',
    auth: { session: true },
    stores: 'records',
    params: z.object({
      ...ProjectParams,
      review_id: z
        .string()
        .regex(/^[A-Za-z0-9]{16}$/, 'must be 16 letters or digits')
        .meta({ example: reviewExample.review_id }),
    }),
    errors: ['not_found'],
    responses: ok('Counted.', z.strictObject({ helpful: z.int() }).meta({ id: 'HelpfulCount' }), {
      helpful: 4,
    }),
  },
  async (c, { params: { project_id, review_id } }) => {
    await findVisibleProject(c, project_id)
    const { store, clock } = c.var.services
    const reviews = store(ReviewStore)
    const voter = sessionOf(c).address
    const vote = await reviews.vote(project_id, review_id, voter, await clock.now())
    switch (vote.status) {
      case 'missing':
        throw new ApiError('not_found', `The project ${project_id} has no review ${review_id}.`)
      case 'own':
        throw new ApiError('forbidden', 'You cannot vote for your own review.')
      case 'counted':
        return json({ helpful: vote.helpful })
    }
  },
)
