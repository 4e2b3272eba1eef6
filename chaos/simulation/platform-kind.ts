import type { LongKind } from '../harness/kind.ts'
import './platform/register.ts'

/** How much validators that never answer delay the end of rounds, on a platform with six connections for each invocation. */
export const platform: LongKind = {
  run: async ({ length, seed, options }) => {
    // The hub's objects find their runtime only now.
    const { finalityOf } = await import('./finality.ts')
    const { validators = 0, hung = 0 } = options
    const [calm, delayed] = [
      await finalityOf({ seed, tasks: length, validators, hung: 0 }),
      await finalityOf({ seed, tasks: length, validators, hung }),
    ]
    return {
      validators,
      hung,
      requests_per_task: { calm: calm.requests, hung: delayed.requests },
      finality_ms: { calm: calm.ms, hung: delayed.ms },
      delay_ms: { p50: delayed.ms.p50 - calm.ms.p50, max: delayed.ms.max - calm.ms.max },
    }
  },
}
