/** What a developer does on these pages against a cause of the health of a project. The API names calls instead. */
import type { Cause } from '../mine/mine.ts'
import { buildParts } from '../texts/build-parts.ts'

export interface Step {
  readonly text: string
  /** Where it is done; null where nothing is to be done here. */
  readonly href: string | null
}

const places: Readonly<Record<string, (project: string) => string>> = {
  project_underfunded: () => '#vault',
  vault_missing: () => '#vault',
  vault_empty: () => '#vault',
  vault_terms_differ: () => '#versions',
  rounds_without_committee: () => '#versions',
  project_without_tasks: (project) => `/projects/${project}/try`,
  rounds_contested: (project) => `/projects/${project}`,
  rounds_failed: () => '/status',
  set_not_built: () => '/status',
  set_not_attested: () => '/status',
  project_not_listed: () => '/build?part=drafts',
  project_delisted: () => '/build?part=drafts',
}

/** Null where nothing helps. */
export function stepOf({ code, next_step }: Pick<Cause, 'code' | 'next_step'>, project: string): Step | null {
  const text = buildParts.steps[code] ?? next_step
  return text === null ? null : { text, href: places[code]?.(project) ?? null }
}
