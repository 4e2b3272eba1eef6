/** How a device stands to what a project asks for. */
import type { Compatibility } from './hub.ts'

const unknown = 'unknown_'

export interface Fit {
  readonly tier: Compatibility['tier'] | 'unknown'
  /** A state, for its colour and sign. */
  readonly state: 'ok' | 'degraded' | 'failed' | 'queued'
  readonly missing: readonly string[]
  /** Just enough. */
  readonly near: readonly string[]
  /** Requirements for which the device has not reported a value. */
  readonly unknown: readonly string[]
}

const states = { compatible: 'ok', marginal: 'degraded', incompatible: 'failed', unknown: 'queued' } as const

/** If the tier is marginal only because of values that are not reported, it is `unknown`. */
export function fitOf({
  tier: said,
  missing,
  warnings,
}: Pick<Compatibility, 'tier' | 'missing' | 'warnings'>): Fit {
  const names = warnings.filter((name) => name.startsWith(unknown)).map((name) => name.slice(unknown.length))
  const near = warnings.filter((name) => !name.startsWith(unknown))
  const tier = said === 'marginal' && near.length === 0 && names.length > 0 ? 'unknown' : said
  return { tier, state: states[tier], missing, near, unknown: names }
}
