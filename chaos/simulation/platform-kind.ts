import type { LongKind } from '../harness/kind.ts'
import './platform/register.ts'

/** Milliseconds that validators that never answer may delay a result; with many of them each turn takes longer. */
const delayMsMax = (hung: number) => (hung <= 6 ? 1_000 : 2_000)

/** How much validators that never answer delay the end of rounds, on a platform with six connections for each invocation. */
export const platform: LongKind = {
  run: async ({ length, seed, options, problem }) => {
    // The hub's objects find their runtime only now.
    const { finalityOf } = await import('./finality.ts')
    const { validators = 0, hung = 0, unlinked = 0, 'answer-ms': answerMs = 0 } = options
    const given = { seed, tasks: length, validators, unlinked, answerMs }
    const [calm, delayed] = [await finalityOf({ ...given, hung: 0 }), await finalityOf({ ...given, hung })]
    const delays = [...delayed.ms]
      .map(([roundId, ms]) => ms - calm.ms.get(roundId)!)
      .toSorted((one, other) => one - other)
    const [median, longest] = [delays[Math.floor(delays.length / 2)]!, delays.at(-1)!]
    if (longest > delayMsMax(hung)) problem(`the longest delay is ${longest} ms`)
    return {
      ...options,
      requests_per_task: { calm: calm.requests, hung: delayed.requests },
      delay_ms: { median, longest },
    }
  },
}
