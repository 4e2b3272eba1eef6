import type { LongKind } from '../harness/kind.ts'
import './platform/register.ts'

/** How long before their epoch all sets are attested, at least. */
const secsBeforeMin = 30

/** The cost of the sets of an epoch that many projects share, on a platform whose database takes 500 trips in a second. */
export const hours: LongKind = {
  run: async ({ length: projects, seed, options, problem }) => {
    // The hub's objects find their runtime only now.
    const { hourOf } = await import('./hours.ts')
    const { validators = 0 } = options
    const spread = await hourOf({ seed, projects, validators, isSpread: true })
    if (spread.last_attested_secs_before < secsBeforeMin)
      problem(`the last set is attested ${spread.last_attested_secs_before} s before its epoch`)
    if (spread.calls > 0) problem(`${spread.calls} calls by HTTP`)
    if (spread.beacon_searches > 1) problem(`${spread.beacon_searches} searches for one beacon`)
    const atOnce = await hourOf({ seed, projects, validators, isSpread: false })
    return { projects, ...options, spread, at_once_by_http: atOnce }
  },
}
