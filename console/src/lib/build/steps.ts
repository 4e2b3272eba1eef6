/** The step of a developer on these pages against a cause of poor project health. The API names calls instead. */
import type { Cause } from '../mine/mine.ts'
import { buildParts } from '../texts/build-parts.ts'

export interface Step {
  readonly text: string
  /** A link to the place of the step; null if the step is not possible here. */
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

/** Null if nothing helps. */
export function stepOf({ code, next_step }: Pick<Cause, 'code' | 'next_step'>, project: string): Step | null {
  const text = buildParts.steps[code] ?? next_step
  return text === null ? null : { text, href: places[code]?.(project) ?? null }
}
