import { publicStatuses } from '../../../protocol/manifest/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { walletOf } from '../../middleware/authenticate.ts'
import { lastBegun } from '../../stores/last-begun.ts'
import type { Project, ProjectRecord } from '../../stores/projects.ts'

/** Whether the caller is the developer, by session or by a key that is for this project. */
function isOwnProject({ var: { principal } }: HubContext, project: Project): boolean {
  if (principal?.kind === 'session') return principal.address === project.developer
  if (principal?.kind !== 'api_key' || principal.address !== project.developer) return false
  return (
    principal.scopes.includes('projects:read') &&
    (principal.projectIds === null || principal.projectIds.includes(project.projectId))
  )
}

export const isOperator = ({ var: { principal, settings } }: HubContext): boolean =>
  principal?.kind === 'session' && settings.OPERATOR_ADDRESSES.includes(principal.address)

/** The record of a project, for those who may see it. @throws {@link ApiError} 404 `not_found`. */
export async function findVisible(c: HubContext, projectId: string): Promise<ProjectRecord> {
  return requireVisible(c, projectId, await findInForce(c, projectId))
}

/**
 * The record of a project of the calling wallet. Routes that change a project declare which scope a key needs for that, and a key may
 * change what it may not read. @throws {@link ApiError} 404 `not_found`; 403 `not_owner` for a project that everybody sees.
 */
export async function findOwn(c: HubContext, projectId: string): Promise<ProjectRecord> {
  const record = await findInForce(c, projectId)
  if (record?.project.developer === walletOf(c)) return record
  requireVisible(c, projectId, record)
  throw new ApiError('not_owner', `The project ${projectId} is not yours.`)
}

/** The record. A version whose epoch has begun is put in force first, should the clean-up that does so not have run yet. */
export async function findInForce(c: HubContext, projectId: string): Promise<ProjectRecord | null> {
  const { projects, projectVersions, clock } = c.var.services
  const record = await projects.findRecord(projectId)
  // The newest one may be submitted alone, while an earlier one waits for its epoch.
  if (record === null || record.pending === null) return record
  const [waiting, now] = await Promise.all([projectVersions.waiting(projectId), clock.now()])
  const due = lastBegun(waiting, now)
  if (due === undefined) return record
  await projectVersions.activate(due)
  return projects.findRecord(projectId)
}

/** The row of a project, for those who may see it. @throws {@link ApiError} 404 `not_found`. */
export async function findVisibleProject(c: HubContext, projectId: string): Promise<Project> {
  const project = await c.var.services.projects.find(projectId)
  return requireVisible(c, projectId, project && { project }).project
}

/** Passes a project on to those who may see it. @throws {@link ApiError} 404 `not_found`, as if there were none. */
export function requireVisible<P extends { project: Project }>(
  c: HubContext,
  projectId: string,
  found: P | null,
): P {
  if (found !== null && isVisible(c, found.project)) return found
  throw unknownProject(projectId)
}

/** Whether the caller may see it: everybody once it is public, else its developer and operators. */
export const isVisible = (c: HubContext, project: Project): boolean =>
  publicStatuses.includes(project.listingStatus) || isOwnProject(c, project) || isOperator(c)

export const unknownProject = (projectId: string): ApiError =>
  new ApiError('not_found', `There is no project ${projectId}, or it is not public.`)
