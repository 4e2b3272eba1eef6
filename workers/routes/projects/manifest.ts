import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { findVisible } from './access.ts'
import { signedManifestExample } from './example.ts'
import { SignedManifest } from './manifest-shape.ts'
import { ProjectParams } from './schema.ts'
import { signedManifestView } from './view.ts'

export const getProjectManifest = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/manifest',
    operationId: 'getProjectManifest',
    tag: 'Projects',
    summary: 'Read the signed manifest in force',
    description: 'With the signature of its developer, so that anybody can check its hashes.',
    params: z.object(ProjectParams),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The manifest that the developer signed.', SignedManifest, signedManifestExample),
  },
  async (c, { params: { project_id } }) =>
    json(signedManifestView((await findVisible(c, project_id)).current)),
)
