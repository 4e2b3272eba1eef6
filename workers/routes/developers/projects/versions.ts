import * as z from 'zod'
import { encodeCanonicalJson } from '../../../../protocol/encoding/index.ts'
import { continuesVersion } from '../../../../protocol/manifest/index.ts'
import { directTransaction } from '../../../actions/direct-transaction.ts'
import { DirectTransaction } from '../../../actions/gasless-schema.ts'
import type { HubContext } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import { type Answer, json } from '../../../http/answer.ts'
import { defineRoute, reply } from '../../../route.ts'
import type { Project } from '../../../stores/projects.ts'
import { VersionSubmissions } from '../../../stores/version-submissions.ts'
import { findOwn } from '../../projects/access.ts'
import { signedManifestExample, versionExample } from '../../projects/example.ts'
import { SignedManifestBody } from '../../projects/manifest-shape.ts'
import { ProjectParams, VersionView } from '../../projects/schema.ts'
import { manifestOf, projectPath, versionView } from '../../projects/view.ts'
import { manifestBody } from './manifest-body.ts'
import {
  acceptManifest,
  findFixedProblems,
  invalidManifest,
  requireVerifiedDeveloper,
} from './manifest-check.ts'
import { publishAction } from './publish.ts'
import { changesOf } from './version-changes.ts'

const Submitted = z
  .strictObject({
    version: VersionView,
    publish_tx: DirectTransaction.nullable().describe(
      'Publishes a changed consensus; null if the version is in force already or this hub has no chain.',
    ),
  })
  .meta({ id: 'SubmittedVersion' })

const exampleAnswer = {
  version: { ...versionExample, tiers_changed: ['listing' as const], status: 'active' as const },
  publish_tx: null,
}

export const createVersion = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/projects/{project_id}/versions',
    operationId: 'createProjectVersion',
    tag: 'Projects',
    summary: 'Submit the next version of a project',
    description:
      'A version with the `consensus` in force is active at once, unless a published version with another one waits for its epoch. A version that changes it is `submitted` until it is published on chain, and becomes active at `effective_epoch`.',
    auth: { session: true, apiKey: 'projects:write', project: 'project_id' },
    idempotent: true,
    stores: 'records',
    signed: true,
    params: z.object(ProjectParams),
    json: manifestBody(SignedManifestBody, {
      ...signedManifestExample,
      manifest: {
        ...signedManifestExample.manifest,
        version: 2,
        previous: signedManifestExample.manifest_hash,
      },
    }),
    errors: [
      'not_enrolled',
      'not_verified',
      'not_owner',
      'not_found',
      'conflict',
      'invalid_state',
      'invalid_manifest',
    ],
    responses: reply(201, 'Stored.', Submitted, exampleAnswer, { Location: 'Path of the version.' }),
  },
  async (c, { params: { project_id }, json: submitted }) => {
    const { project, current } = await findOwn(c, project_id)
    await requireVerifiedDeveloper(c)
    requireRegistered(project)
    const { manifest, hashes, signature, token } = await acceptManifest(c, submitted)
    if (hashes.project_id !== project_id)
      throw invalidManifest([
        {
          path: 'slug',
          code: 'invalid_value',
          message: `Found another slug. Write "${project.slug}", as in earlier versions.`,
        },
      ])
    const inForce = manifestOf(current)
    const fixed = findFixedProblems(inForce, manifest)
    if (fixed.length > 0) throw invalidManifest(fixed)
    const { projectVersions } = c.var.services
    const latest = await projectVersions.latest(project_id)
    // An earlier try stored this version.
    if (c.var.operation.isRetry && latest?.manifestHash === hashes.manifest_hash)
      return answer(c, project_id, manifest.version)
    if (
      latest === null ||
      !continuesVersion({ version: latest.version, manifest_hash: latest.manifestHash }, manifest)
    )
      throw stale(latest)

    const tiersChanged = await changesOf(c, inForce, manifest, hashes)
    const next = {
      projectId: project_id,
      current: inForce,
      manifest,
      canonical: encodeCanonicalJson(manifest),
      hashes,
      signature,
      token,
      tiersChanged,
    }
    const { clock, store } = c.var.services
    if ((await store(VersionSubmissions).submit(next, await clock.now())) === 'exists')
      throw stale(await projectVersions.latest(project_id))
    return answer(c, project_id, manifest.version)
  },
)

async function answer(c: HubContext, projectId: string, number: number): Promise<Answer> {
  const version = await c.var.services.projectVersions.find(projectId, number)
  if (version === null) throw new Error(`version ${number} of ${projectId} was stored and no longer exists`)
  const { action, message } = publishAction(version)
  const publishes = version.status === 'submitted' && c.var.settings.CHAIN_CONTRACTS !== undefined
  return json(
    { version: versionView(version), publish_tx: publishes ? directTransaction(c, action, message) : null },
    201,
    { Location: `${projectPath(projectId)}/versions/${number}` },
  )
}

/** Before its registration a project has one version, and after its end no more. */
function requireRegistered({ listingStatus }: Project): void {
  if (['draft', 'submitted', 'rejected', 'delisted'].includes(listingStatus))
    throw new ApiError('invalid_state', `The project is ${listingStatus}; it accepts no further version.`, {
      details: { listing_status: listingStatus },
    })
}

const stale = (latest: { version: number; manifestHash: string } | null): ApiError =>
  new ApiError(
    'conflict',
    `The next version is ${(latest?.version ?? 0) + 1} and names ${latest?.manifestHash} as its previous version. Sign a manifest with these values.`,
    { details: { version: (latest?.version ?? 0) + 1, previous: latest?.manifestHash } },
  )
