import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { pageOf, pageQuery, paginate } from '../../http/pagination.ts'
import { defineRoute } from '../../route.ts'
import type { VersionSummary } from '../../stores/project-versions.ts'
import { findVisibleProject, requireVisible } from './access.ts'
import { signedManifestExample, versionExample } from './example.ts'
import { SignedManifest } from './manifest-shape.ts'
import { ProjectParams, VersionNumber, VersionView } from './schema.ts'
import { signedManifestView, versionView } from './view.ts'

export const listProjectVersions = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/versions',
    operationId: 'listProjectVersions',
    tag: 'Projects',
    summary: 'List the versions of a project, newest first',
    params: z.object(ProjectParams),
    query: z.strictObject(pageQuery),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: {
      200: {
        description: 'One page.',
        schema: pageOf(VersionView).meta({ id: 'ProjectVersionPage' }),
        example: { items: [versionExample], next_cursor: null },
      },
    },
  },
  async (c, { params: { project_id }, query }) => {
    const { projectVersions } = c.var.services
    const visible = findVisibleProject(c, project_id)
    const page = paginate(c, {
      list: `project-versions project=${project_id}`,
      query,
      position: ({ id }: VersionSummary): [number] => [id],
      fetch: (after, limit) => projectVersions.list(project_id, after?.[0], limit),
    })
    const [, { rows, next_cursor }] = await Promise.all([visible, page])
    return json({ items: rows.map(versionView), next_cursor })
  },
)

const VersionDetail = z
  .strictObject({ ...VersionView.shape, signed_manifest: SignedManifest })
  .meta({ id: 'ProjectVersionDetail' })

export const getProjectVersion = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/versions/{version}',
    operationId: 'getProjectVersion',
    tag: 'Projects',
    summary: 'Read a version of a project with its signed manifest',
    params: z.object({ ...ProjectParams, version: VersionNumber }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: {
      200: {
        description: 'The version.',
        schema: VersionDetail,
        example: { ...versionExample, signed_manifest: signedManifestExample },
      },
    },
  },
  async (c, { params: { project_id, version } }) => {
    const { projects, projectVersions } = c.var.services
    const [project, found] = await Promise.all([
      projects.find(project_id),
      projectVersions.find(project_id, version),
    ])
    requireVisible(c, project_id, project && { project })
    if (found === null)
      throw new ApiError('not_found', `The project ${project_id} has no version ${version}.`)
    return json({ ...versionView(found), signed_manifest: signedManifestView(found) })
  },
)
