import type { LongKind } from '../harness/kind.ts'
import './platform/register.ts'

/** Lists show a round two seconds after its end. */
const queueMsMax = 2_000

/** Whether a hub keeps up with a steady rate of tasks, on a platform with the ceilings of a deployment. */
export const load: LongKind = {
  run: async ({ length, seed, options, problem }) => {
    // The hub's objects find their runtime only now.
    const { loadOf } = await import('./load.ts')
    const { rate = 0, share = 0, validators = 0 } = options
    const loaded = await loadOf({ seed, minutes: length, rate, share, validators })
    const { p99 } = loaded.queue_ms
    if (p99 > queueMsMax) problem(`a round in a hundred is in lists later than ${p99} ms after its end`)
    return loaded
  },
}
