import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { type Answer, json, noContent } from '../../http/answer.ts'
import { AnyObject, line, Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import {
  type Draft,
  type DraftContent,
  DraftStore,
  draftsMax,
  type ListedDraft,
} from '../../stores/drafts.ts'

const dataBytesMax = 256 * 1024
/** A value and the comma after it take two bytes, so data that fits never has more. */
const valuesMax = dataBytesMax / 2 + 10

const DraftInput = z
  .strictObject({
    current_step: z.int().min(0).max(1000).default(0),
    project_id: line(128).nullable().default(null),
    data: AnyObject.describe('Any JSON object; at most 256 KiB as stored.'),
  })
  .meta({ id: 'DraftInput' })

const DraftView = z
  .strictObject({
    draft_id: z.string(),
    current_step: z.int(),
    project_id: z.string().nullable(),
    data: AnyObject,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Draft' })

const draftExample: z.output<typeof DraftView> = {
  draft_id: 'my-first-project',
  current_step: 2,
  project_id: null,
  data: { name: 'My first project' },
  created_at: example.time,
  updated_at: example.time,
}

const draftBody = {
  schema: DraftInput,
  example: { current_step: draftExample.current_step, data: draftExample.data },
  fractions: true,
  valuesMax,
} as const

const DraftParams = z.object({
  draft_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -')
    .meta({ example: draftExample.draft_id }),
})

const ifMatch = (otherwise: string) => ({
  'If-Match': `ETag of the version that you have, or \`*\` for any version. If the stored draft ${otherwise}, the answer is 409 \`conflict\`.`,
})
const ifNoneMatch = {
  'If-None-Match': '`*`: only create. If the draft exists, the answer is 409 `conflict`.',
}

const stored = (status: 200 | 201, description: string) =>
  reply(status, description, DraftView, draftExample, {
    ...(status === 201 && { Location: 'Path of the draft.' }),
    ETag: 'Names this version.',
  })

const draftView = ({ draftId, currentStep, projectId, data, createdAt, updatedAt }: Draft) => ({
  draft_id: draftId,
  current_step: currentStep,
  project_id: projectId,
  data: JSON.parse(data) as z.output<typeof AnyObject>,
  created_at: createdAt,
  updated_at: updatedAt,
})

export const listDrafts = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/me/drafts',
    operationId: 'listDrafts',
    tag: 'Developers',
    summary: 'List your drafts, last changed first',
    description:
      'A page of large drafts may be shorter than `limit`; more pages follow while `next_cursor` is not null. A draft that changes between two pages moves to the first page.',
    auth: { session: true },
    query: z.strictObject(pageQuery),
    responses: onePage('DraftPage', DraftView, draftExample),
  },
  (c, { query }) =>
    answerPage(c, {
      list: 'drafts',
      isOwn: true,
      query,
      by: ['updatedAt', 'draftId'],
      fetch: (after, limit) => c.var.services.store(DraftStore).list(callerOf(c), after, limit),
      isCut: ([first]) => first?.isCut === true,
      view: (draft: ListedDraft) => draftView(draft),
    }),
)

export const createDraft = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/me/drafts',
    operationId: 'createDraft',
    tag: 'Developers',
    summary: 'Store a new draft',
    description: `A wallet keeps at most ${draftsMax} drafts.`,
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    json: draftBody,
    errors: ['conflict', 'too_large'],
    responses: stored(201, 'The stored draft, under an id that the hub chose.'),
  },
  async (c, { json: input }) => {
    const { derived, store } = c.var.services
    const drafts = store(DraftStore)
    const { operation } = c.var
    const draftId = derived.alphanumerics(operation, 'draft id', 12)
    const content = contentOf(input)
    const made = operation.isRetry ? await drafts.find(sessionOf(c).address, draftId) : null
    const answer = made === null ? await insertDraft(c, draftId, content) : answerMade(made, content)
    return withData(answer, null)
  },
  (answer, { json: { data } }) => withData(answer, data),
)

export const getDraft = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/me/drafts/{draft_id}',
    operationId: 'getDraft',
    tag: 'Developers',
    summary: 'Read a draft of your own',
    description: 'The draft of another wallet is 404.',
    auth: { session: true },
    params: DraftParams,
    errors: ['not_found'],
    responses: stored(200, 'The draft.'),
  },
  async (c, { params: { draft_id } }) => {
    const draft = await c.var.services.store(DraftStore).find(callerOf(c), draft_id)
    if (!draft) throw notFound(draft_id)
    return answerDraft(draft)
  },
)

export const putDraft = defineRoute(
  {
    method: 'put',
    path: '/v1/developers/me/drafts/{draft_id}',
    operationId: 'putDraft',
    tag: 'Developers',
    summary: 'Replace a draft, or store a new one under an id of your choice',
    description: 'With `If-Match`, a draft that has changed meanwhile is not replaced.',
    auth: { session: true },
    stores: 'records',
    params: DraftParams,
    headers: { ...ifMatch('has another version or does not exist'), ...ifNoneMatch },
    json: draftBody,
    errors: ['conflict', 'too_large'],
    responses: { ...stored(200, 'Replaced.'), ...stored(201, 'Created.') },
  },
  async (c, { params: { draft_id }, json: input }) => {
    const content = contentOf(input)
    const condition = readCondition(c)
    if (condition === 'absent') return insertDraft(c, draft_id, content)
    const { address } = sessionOf(c)
    const revision = condition === 'present' ? undefined : condition
    const updated = await c.var.services
      .store(DraftStore)
      .update(address, draft_id, content, unixNow(), revision)
    if (updated === 'stale' || (updated === 'missing' && condition !== undefined)) throw stale()
    return updated === 'missing' ? insertDraft(c, draft_id, content) : answerDraft(updated)
  },
)

export const deleteDraft = defineRoute(
  {
    method: 'delete',
    path: '/v1/developers/me/drafts/{draft_id}',
    operationId: 'deleteDraft',
    tag: 'Developers',
    summary: 'Delete a draft of your own',
    description: 'The draft of another wallet is 404.',
    auth: { session: true },
    params: DraftParams,
    headers: ifMatch('has another version'),
    errors: ['not_found', 'conflict'],
    responses: { 204: { description: 'Deleted.' } },
  },
  async (c, { params: { draft_id } }) => {
    const condition = readCondition(c)
    if (condition === 'absent') throw invalidField('If-None-Match', 'cannot be used with DELETE')
    const revision = condition === 'present' ? undefined : condition
    const deleted = await c.var.services.store(DraftStore).delete(sessionOf(c).address, draft_id, revision)
    if (deleted === 'stale') throw stale()
    if (deleted === 'missing') throw notFound(draft_id)
    return noContent()
  },
)

function contentOf({ current_step, project_id, data }: z.output<typeof DraftInput>): DraftContent {
  const text = JSON.stringify(data)
  if (new TextEncoder().encode(text).length > dataBytesMax)
    throw new ApiError('too_large', `The data of a draft is at most ${dataBytesMax} bytes as JSON.`)
  return { currentStep: current_step, projectId: project_id, data: text }
}

async function insertDraft(c: HubContext, draftId: string, content: DraftContent): Promise<Answer> {
  const created = await c.var.services
    .store(DraftStore)
    .create(sessionOf(c).address, draftId, content, unixNow())
  if (created === 'full')
    throw new ApiError('conflict', `A wallet keeps at most ${draftsMax} drafts; delete one first.`)
  // Another request made the same draft first: this request does not know the content that it would replace.
  if (created === 'exists') throw stale()
  return answerDraft(created, 201)
}

/** The answer for a draft that an earlier try of the request made. */
function answerMade(made: Draft, { currentStep, projectId, data }: DraftContent): Answer {
  if (made.currentStep !== currentStep || made.projectId !== projectId || made.data !== data)
    throw new ApiError(
      'conflict',
      `An earlier attempt of this request created the draft ${made.draftId}, which has changed since. Read it.`,
      { details: { draft_id: made.draftId } },
    )
  return answerDraft(made, 201)
}

const withData = (answer: Answer, data: unknown): Answer => ({
  ...answer,
  body: JSON.stringify({ ...JSON.parse(String(answer.body)), data }),
})

const answerDraft = (draft: Draft, status = 200): Answer =>
  json(draftView(draft), status, {
    ETag: `"${draft.revision}"`,
    ...(status === 201 && { Location: `/v1/developers/me/drafts/${draft.draftId}` }),
  })

const notFound = (draftId: string) => new ApiError('not_found', `You have no draft ${draftId}.`)

const stale = () =>
  new ApiError('conflict', 'The draft was changed meanwhile. Read it again before you change it.')

/** The condition of the request on the stored draft: a revision, that it exists, that it does not exist, or no condition. */
function readCondition(c: HubContext): number | 'present' | 'absent' | undefined {
  const match = c.req.header('if-match')?.trim()
  const noneMatch = c.req.header('if-none-match')?.trim()
  if (noneMatch !== undefined) {
    if (noneMatch !== '*') throw invalidField('If-None-Match', 'can only be * here')
    if (match !== undefined) throw invalidField('If-None-Match', 'cannot be sent together with If-Match')
    return 'absent'
  }
  if (match === undefined) return undefined
  if (match === '*') return 'present'
  const revision = /^(?:W\/)?"([1-9][0-9]{0,15})"$/.exec(match)?.[1]
  if (revision === undefined) throw invalidField('If-Match', 'must be the ETag of a draft')
  return Number(revision)
}
