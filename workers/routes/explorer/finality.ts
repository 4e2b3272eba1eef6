import * as z from 'zod'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Timestamp } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { NetworkPulse } from '../../stores/network-pulse.ts'

const hourSecs = 3_600
const hours = 24

const FinalityHour = z
  .strictObject({
    starts_at: Timestamp,
    sampled: z.int().describe('Tasks that were looked at: the newest two of each quarter of an hour.'),
    median_ms: z.int().nullable().describe('From the submission to the final result; null without a task.'),
    slowest_ms: z.int().nullable(),
  })
  .meta({ id: 'FinalityHour' })

/** @param sorted - The smallest first. */
function medianOf(sorted: readonly number[]): number | null {
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return lower === undefined || upper === undefined ? null : Math.round((lower + upper) / 2)
}

export const getFinality = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/finality',
    operationId: 'getFinality',
    tag: 'Explorer',
    summary: 'Read how long tasks took to be final, hour by hour',
    description: 'The running hour and the 23 before it, the oldest first, from a sample of the final tasks.',
    cache: { maxAgeSeconds: 60, keptSeconds: 30 },
    responses: ok('The hours.', z.strictObject({ items: z.array(FinalityHour) }).meta({ id: 'Finality' }), {
      items: [{ starts_at: example.time, sampled: 8, median_ms: 3_200, slowest_ms: 5_100 }],
    }),
  },
  async (c) => {
    const { clock, store } = c.var.services
    const end = (Math.floor((await clock.now()) / hourSecs) + 1) * hourSecs
    const start = end - hours * hourSecs
    const quarters = await store(NetworkPulse).finality(start, end)
    const samples = Map.groupBy(quarters, ({ at }) => at - (at % hourSecs))
    return json({
      items: [...samples].map(([starts_at, own]) => {
        const times = own.flatMap(({ sample }) => sample).sort((a, b) => a - b)
        return {
          ...{ starts_at, sampled: times.length },
          median_ms: medianOf(times),
          slowest_ms: times.at(-1) ?? null,
        }
      }),
    })
  },
)
