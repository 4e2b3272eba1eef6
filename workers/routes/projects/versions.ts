import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { defineRoute, ok } from '../../route.ts'
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
    description: 'With the state of each.',
    params: z.object(ProjectParams),
    query: z.strictObject(pageQuery),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: onePage('ProjectVersionPage', VersionView, versionExample),
  },
  async (c, { params: { project_id }, query }) => {
    const { projectVersions } = c.var.services
    const visible = findVisibleProject(c, project_id)
    const page = answerPage(c, {
      list: `project-versions project=${project_id}`,
      query,
      by: ['id'],
      fetch: (after, limit) => projectVersions.list(project_id, after?.id, limit),
      view: versionView,
    })
    const [, answer] = await Promise.all([visible, page])
    return answer
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
    description: 'Also a version that another one has replaced.',
    params: z.object({ ...ProjectParams, version: VersionNumber }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The version.', VersionDetail, {
      ...versionExample,
      signed_manifest: signedManifestExample,
    }),
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
