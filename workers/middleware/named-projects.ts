import { deriveProjectId, isSlug } from '../../protocol/identity/index.ts'
import type { HubContext } from '../context.ts'
import { ApiError, invalidField } from '../errors.ts'
import type { RouteDeclaration, RouteInput } from '../route.ts'
import { requireKeyProject } from './authenticate.ts'

type Input = RouteInput<RouteDeclaration>

/** How many of the projects that have one slug a refusal names. */
const namedMax = 4

/**
 * Puts the id where path or query name a project by its slug, so that handlers know ids alone.
 * @throws {@link ApiError} 404 `not_found`, of a query 400 `invalid_field`, where no project or more than one is meant.
 */
export async function nameProjectsById(
  c: HubContext,
  { auth, operationId }: RouteDeclaration,
  input: Input,
): Promise<Input> {
  const { params, query } = input as { params?: { project_id?: unknown }; query?: { project_id?: unknown } }
  const inPath = isSlug(params?.project_id)
  const slug = inPath ? params?.project_id : query?.project_id
  if (!isSlug(slug)) return input
  const found = await findBySlug(c, slug)
  const [id] = found
  if (id === undefined || found.length > 1) throw refusal(slug, found, inPath)
  // The record has one address, which is its id.
  if (operationId === 'getProject')
    throw new ApiError('not_found', `${slug} is the slug of a project, whose record is at its id ${id}.`, {
      details: { project_id: id },
    })
  // The path named the project in a way in which the key's own ids do not.
  if (inPath && auth?.project !== undefined) requireKeyProject(c, id)
  return inPath
    ? { ...input, params: { ...params, project_id: id } }
    : { ...input, query: { ...query, project_id: id } }
}

/** The caller's own project, or else every other with that slug which the caller may see. */
async function findBySlug(c: HubContext, slug: string): Promise<string[]> {
  const { principal, settings, services } = c.var
  const wallet = principal !== null && 'address' in principal ? principal.address : null
  const own = wallet && deriveProjectId(settings.PROFILE, wallet, slug)
  const seesAll = principal?.kind === 'session' && settings.OPERATOR_ADDRESSES.includes(principal.address)
  const found = await services.projects.findIdsBySlug(slug, own, seesAll, namedMax)
  return own !== null && found.includes(own) ? [own] : found
}

function refusal(slug: string, found: readonly string[], inPath: boolean): ApiError {
  const message =
    found.length === 0
      ? `There is no project ${slug}, or it is not public.`
      : `More than one project has the slug ${slug}: name it by its id, such as ${found.join(' or ')}.`
  return inPath ? new ApiError('not_found', message) : invalidField('project_id', message)
}
