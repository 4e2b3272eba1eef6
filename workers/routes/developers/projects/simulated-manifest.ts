import * as z from 'zod'
import { deriveProjectId, isSlug } from '../../../../protocol/identity/index.ts'
import type { ProjectManifest } from '../../../../protocol/manifest/index.ts'
import type { HubContext } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import { Bytes32 } from '../../../http/formats.ts'
import { validate } from '../../../http/validate.ts'
import { walletOf } from '../../../middleware/authenticate.ts'
import { DraftStore } from '../../../stores/drafts.ts'
import { findOwn } from '../../projects/access.ts'
import { manifestOf } from '../../projects/view.ts'

/** The members of a manifest that simulations need. */
type Simulated = {
  modules: Pick<ProjectManifest['consensus']['modules'], 'worker'>
  work: Pick<ProjectManifest['consensus']['work'], 'functions' | 'max_gas_limit'>
}

/** A draft may lack everything else. */
const DraftedManifest = z.object({
  consensus: z.object({
    modules: z.object({ worker: Bytes32 }),
    work: z.object({ functions: z.array(z.string()), max_gas_limit: z.int().min(1) }),
  }),
})

/**
 * The manifest to simulate: the newest version of the caller's project or, before that is submitted, the caller's draft.
 * @throws {@link ApiError} 404 `not_found`, 403 `not_owner`; 400 `invalid_field` for a draft that lacks a needed member.
 */
export async function findSimulated(c: HubContext, projectId: string): Promise<Simulated> {
  const draft = await requireOwnOrDraft(c, projectId)
  if ('data' in draft) return validate(DraftedManifest, draft.data).consensus
  const { pending, current } = draft
  const { projectVersions } = c.var.services
  const version = pending && (await projectVersions.find(projectId, pending.version))
  return manifestOf(version ?? current).consensus
}

/** The caller's project, or its draft of one that was not submitted. @throws {@link ApiError} as {@link findOwn}. */
export async function requireOwnOrDraft(c: HubContext, projectId: string) {
  try {
    return await findOwn(c, projectId)
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.code === 'not_found'
    const data = isUnknown ? await draftOf(c, projectId) : null
    if (data === null) throw error
    return { data }
  }
}

/** Its slug proves that the draft is of this project: the id of a project follows from its developer and its slug. */
async function draftOf(c: HubContext, projectId: string): Promise<object | null> {
  const wallet = walletOf(c)
  const draft = await c.var.services.store(DraftStore).ofProject(wallet, projectId)
  if (draft === null) return null
  const data: { slug?: unknown } = JSON.parse(draft.data)
  const { slug } = data
  if (typeof slug !== 'string' || !isSlug(slug)) return null
  return deriveProjectId(c.var.settings.PROFILE, wallet, slug) === projectId ? data : null
}
