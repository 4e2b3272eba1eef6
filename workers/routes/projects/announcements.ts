import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json, noContent } from '../../http/answer.ts'
import { Address, Bytes32, line, lines, Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { walletOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import { type Announcement, AnnouncementStore, announcementsMax } from '../../stores/announcements.ts'
import { announcementTypes } from '../../stores/schema/developer-tools.ts'
import { findOwn, findVisibleProject } from './access.ts'
import { hashesExample } from './example.ts'
import { ProjectParams } from './schema.ts'

const content = {
  title: line(120, 1),
  content: lines(8000, 1),
  type: z.enum(announcementTypes),
}

const AnnouncementInput = z.strictObject(content).meta({ id: 'AnnouncementInput' })

const AnnouncementView = z
  .strictObject({
    announcement_id: z.string(),
    project_id: Bytes32,
    ...content,
    author: Address,
    created_at: Timestamp,
  })
  .meta({ id: 'Announcement' })

const inputExample = {
  title: 'Short pause on Friday',
  content: 'We move to a new worker on Friday at 10:00 UTC.',
  type: 'maintenance' as const,
}

const announcementExample: z.output<typeof AnnouncementView> = {
  announcement_id: 'Qm4s8ZtXw2LrV9kB',
  project_id: hashesExample.project_id,
  ...inputExample,
  author: example.wallet,
  created_at: example.time,
}

const announcementView = (row: Announcement): z.output<typeof AnnouncementView> => ({
  announcement_id: row.announcementId,
  project_id: row.projectId,
  title: row.title,
  content: row.content,
  type: row.type,
  author: row.author,
  created_at: row.createdAt,
})

export const listAnnouncements = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/announcements',
    operationId: 'listAnnouncements',
    tag: 'Projects',
    summary: 'List the announcements of a project, newest first',
    description: 'News of the developer of the project for its miners and users.',
    params: z.object(ProjectParams),
    query: z.strictObject(pageQuery),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: onePage('AnnouncementPage', AnnouncementView, announcementExample),
  },
  async (c, { params: { project_id }, query }) => {
    const visible = findVisibleProject(c, project_id)
    const page = answerPage(c, {
      list: `announcements project=${project_id}`,
      query,
      by: ['createdAt', 'announcementId'],
      fetch: (after, limit) => c.var.services.store(AnnouncementStore).list(project_id, after, limit),
      view: announcementView,
    })
    const [, answer] = await Promise.all([visible, page])
    return answer
  },
)

export const createAnnouncement = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/projects/{project_id}/announcements',
    operationId: 'createAnnouncement',
    tag: 'Developers',
    summary: 'Announce something about your project',
    description: `A project keeps at most ${announcementsMax} announcements.`,
    auth: { session: true, apiKey: 'projects:write', project: 'project_id' },
    idempotent: true,
    stores: 'records',
    params: z.object(ProjectParams),
    json: { schema: AnnouncementInput, example: inputExample },
    errors: ['not_found', 'not_owner', 'conflict'],
    responses: reply(201, 'The announcement.', AnnouncementView, announcementExample, {
      Location: 'Path of the announcements of the project.',
    }),
  },
  async (c, { params: { project_id }, json: input }) => {
    const { clock, derived, store } = c.var.services
    const { operation } = c.var
    await findOwn(c, project_id)
    const announcements = store(AnnouncementStore)
    const announcementId = derived.alphanumerics(operation, 'announcement id', 16)
    const made = operation.isRetry ? await announcements.find(announcementId) : null
    const fresh = { announcementId, projectId: project_id, author: walletOf(c), createdAt: await clock.now() }
    const announcement = made ?? { ...fresh, ...input }
    if (made === null && (await announcements.create(announcement)) === 'full')
      throw new ApiError(
        'conflict',
        `A project keeps at most ${announcementsMax} announcements; delete one first.`,
      )
    const Location = `/v1/projects/${project_id}/announcements`
    return json(announcementView(announcement), 201, { Location })
  },
)

export const deleteAnnouncement = defineRoute(
  {
    method: 'delete',
    path: '/v1/developers/projects/{project_id}/announcements/{announcement_id}',
    operationId: 'deleteAnnouncement',
    tag: 'Developers',
    summary: 'Delete an announcement of your project',
    description: 'It is no longer listed.',
    auth: { session: true, apiKey: 'projects:write', project: 'project_id' },
    params: z.object({
      ...ProjectParams,
      announcement_id: z
        .string()
        .regex(/^[A-Za-z0-9]{16}$/, 'must be 16 letters or digits')
        .meta({ example: announcementExample.announcement_id }),
    }),
    errors: ['not_found', 'not_owner'],
    responses: { 204: { description: 'Deleted, or it did not exist.' } },
  },
  async (c, { params: { project_id, announcement_id } }) => {
    await findOwn(c, project_id)
    await c.var.services.store(AnnouncementStore).delete(project_id, announcement_id)
    return noContent()
  },
)
