import * as z from 'zod'
import { encodeCanonicalJson } from '../../../../protocol/encoding/index.ts'
import { previewQuery } from '../../../actions/gasless-schema.ts'
import type { HubContext } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import { type Answer, json } from '../../../http/answer.ts'
import { requireKeyProject } from '../../../middleware/authenticate.ts'
import { defineRoute, ok, reply } from '../../../route.ts'
import { signedManifestExample } from '../../projects/example.ts'
import { SignedManifestBody } from '../../projects/manifest-shape.ts'
import { projectPath, readProjectView } from '../../projects/view.ts'
import { manifestBody } from './manifest-body.ts'
import {
  type AcceptedManifest,
  acceptManifest,
  invalidManifest,
  requireVerifiedDeveloper,
} from './manifest-check.ts'
import { Registration, registerAction, registrationExample, waysToRegister } from './registration.ts'

export const createProject = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/projects',
    operationId: 'createProject',
    tag: 'Projects',
    summary: 'Submit the first version of a project',
    description:
      'The project is `submitted` until its registration is on the chain, then `pending_review`. The same signed manifest again, while it is `submitted`, is answered with fresh payloads.',
    auth: { session: true, apiKey: 'projects:write' },
    idempotent: true,
    stores: 'records',
    signed: true,
    query: z.strictObject(previewQuery),
    json: manifestBody(SignedManifestBody, signedManifestExample),
    errors: ['not_enrolled', 'not_verified', 'invalid_manifest', 'not_owner', 'already_exists'],
    responses: {
      ...reply(
        201,
        'Stored, with the two ways to register it on the chain.',
        Registration,
        registrationExample,
        { Location: 'Path of the project.' },
      ),
      ...ok(
        'This signed manifest was stored before and is not registered yet.',
        Registration,
        registrationExample,
      ),
    },
  },
  async (c, { json: submitted }) => {
    const developer = await requireVerifiedDeveloper(c)
    const accepted = await acceptManifest(c, submitted)
    const { manifest, hashes, signature, token } = accepted
    if (manifest.version !== 1)
      throw invalidManifest([
        { path: 'version', code: 'invalid_value', message: '1; later versions go to …/versions.' },
      ])
    requireKeyProject(c, hashes.project_id)

    const { projects } = c.var.services
    if (await projects.find(hashes.project_id)) return answerKnown(c, accepted)
    // Read before anything is stored: while the chain is down a submission leaves nothing behind.
    const ways = await waysToRegister(c, registerAction(manifest, hashes))
    const submission = {
      projectId: hashes.project_id,
      manifest,
      canonical: encodeCanonicalJson(manifest),
      hashes,
      signature,
      token,
      developerName: developer.displayName,
    }
    if ((await projects.submit(submission, await c.var.services.clock.now())) === 'exists')
      return answerKnown(c, accepted)
    return json({ project: registered(await viewOf(c, hashes.project_id)), ...ways }, 201, {
      Location: projectPath(hashes.project_id),
    })
  },
)

async function answerKnown(c: HubContext, { manifest, hashes }: AcceptedManifest): Promise<Answer> {
  const known = await c.var.services.projects.findRecord(hashes.project_id)
  const repeated =
    known?.project.listingStatus === 'submitted' && known.project.manifestHash === hashes.manifest_hash
  if (!repeated)
    throw new ApiError(
      'already_exists',
      known?.project.listingStatus === 'submitted'
        ? `You have submitted a project ${manifest.slug} with another manifest. Register that one, which GET ${projectPath(hashes.project_id)}/manifest has, then submit a version of it; or choose another slug.`
        : `You have a project ${manifest.slug} already. Choose another slug, or submit a version of it.`,
      { details: { project_id: hashes.project_id } },
    )
  const ways = await waysToRegister(c, registerAction(manifest, hashes))
  return json({ project: registered(await readProjectView(c, known)), ...ways })
}

/** The specification has the answer to a registration give `listed_at` as an integer; a project that was never listed has 0. */
const registered = <View extends object>(project: View) => ({ listed_at: 0, ...project })

async function viewOf(c: HubContext, projectId: string) {
  const record = await c.var.services.projects.findRecord(projectId)
  if (record === null) throw new Error(`the project ${projectId} was stored and no longer exists`)
  return readProjectView(c, record)
}
