import * as z from 'zod'
import { archivePath } from '../../archive/archive-files.ts'
import { ApiError, unavailable } from '../../errors.ts'
import { example } from '../../examples.ts'
import { matchesEtag } from '../../http/etag.ts'
import { Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { defineRoute } from '../../route.ts'
import type { ArchiveRow } from '../../stores/archives.ts'
import { SetParams } from '../committees/schema.ts'
import { findVisibleProject } from './access.ts'
import { ProjectParams } from './schema.ts'

const Archive = z
  .strictObject({
    epoch: z.int(),
    rounds: z.int(),
    bytes: z.int().describe('Size of the file.'),
    sha256: z.string().describe('Of the file, in hex.'),
    last_created_at: Timestamp.describe('Time when the last of its rounds began.'),
    url: z.url().describe('Address of the file.'),
  })
  .meta({ id: 'RoundArchive' })

const exampleEpoch = 498_055
const pathOf = (projectId: string, epoch: number): string => `/v1/projects/${projectId}/archives/${epoch}`

export const listArchives = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/archives',
    operationId: 'listArchives',
    tag: 'Projects',
    summary: 'List the archives of a project, the newest epoch first',
    description:
      'Rounds of old epochs leave the lists of rounds, leases and proofs, and are in a file for each epoch. Tasks, rounds, receipts and proofs are read by their ids as before.',
    params: z.object(ProjectParams),
    query: z.strictObject(pageQuery),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: onePage('RoundArchivePage', Archive, {
      epoch: exampleEpoch,
      rounds: 1_200,
      bytes: 812_345,
      sha256: example.digest.slice(2),
      last_created_at: example.time,
      url: `${example.hub}${pathOf(example.manifestAddress, exampleEpoch)}`,
    }),
  },
  async (c, { params: { project_id: projectId }, query }) => {
    const { store } = await c.var.services.archive()
    const [answer] = await Promise.all([
      answerPage(c, {
        list: `archives project=${projectId}`,
        query,
        by: ['lastIssuedAt', 'epoch'],
        fetch: (after, limit) => store.list(projectId, after, limit),
        view: ({ epoch, rounds, bytes, sha256, lastIssuedAt }: ArchiveRow) => ({
          ...{ epoch, rounds, bytes, sha256, last_created_at: lastIssuedAt },
          url: `${c.var.settings.BASE_URL.origin}${pathOf(projectId, epoch)}`,
        }),
      }),
      findVisibleProject(c, projectId),
    ])
    return answer
  },
)

export const downloadArchive = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/archives/{epoch}',
    operationId: 'downloadArchive',
    tag: 'Projects',
    summary: 'Download the archive of an epoch',
    description:
      'Lines of JSON, compressed with gzip, as a file of that kind: a line for each round, with its row, the leases of its members, and its task if that had to wait.',
    params: SetParams,
    cache: { maxAgeSeconds: 86_400 },
    errors: ['not_found'],
    responses: {
      200: {
        description: 'The file.',
        contentType: 'application/gzip',
        headers: { 'Content-Length': 'Size of the file.', ETag: 'SHA-256 of the file.' },
      },
    },
  },
  async (c, { params: { project_id: projectId, epoch } }) => {
    const { store, files } = await c.var.services.archive()
    const [row] = await Promise.all([store.find(projectId, epoch), findVisibleProject(c, projectId)])
    if (row === null)
      throw new ApiError('not_found', `The project ${projectId} has no archive of the epoch ${epoch}.`)
    const etag = `"${row.sha256}"`
    const isRead = c.req.method !== 'HEAD' && !matchesEtag(c.req.header('if-none-match'), etag)
    const object = isRead ? await files.open(archivePath(projectId, epoch)) : null
    if (isRead && object === null) throw unavailable('The storage of archives')
    return {
      status: 200,
      headers: { 'Content-Type': 'application/gzip', 'Content-Length': String(row.bytes), ETag: etag },
      body: object?.body ?? null,
    }
  },
)
