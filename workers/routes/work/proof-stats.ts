import * as z from 'zod'
import { rejectionReasons } from '../../../durable-objects/round/states.ts'
import { basisPointsMax } from '../../../protocol/encoding/index.ts'
import { json } from '../../http/answer.ts'
import { PathProject } from '../../http/formats.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { type ProofCounts, ProofStore } from '../../stores/proofs.ts'

const hourSecs = 3_600
const periodHours = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, all: null }
const periods = Object.keys(periodHours) as (keyof typeof periodHours)[]

const ProofStats = z
  .strictObject({
    submitted: z.int().describe('Received votes: verified and rejected ones.'),
    verified: z.int(),
    rejected: z.int(),
    missed: z.int(),
    success_bp: z
      .int()
      .describe(
        'Share of verified votes in all votes, missed ones included, in hundredths of a percent; 0 without votes.',
      ),
    avg_finality_ms: z
      .int()
      .describe(
        'Average time from the task to its final result, over verified votes; 0 without verified votes.',
      ),
    rejection_reasons: z.partialRecord(z.enum(rejectionReasons), z.int()),
  })
  .meta({ id: 'ProofStats' })

export const getProofStats = defineRoute(
  {
    method: 'get',
    path: '/v1/me/proofs/stats',
    operationId: 'getProofStats',
    tag: 'Work',
    summary: 'Sum up the proofs of work of your devices',
    description:
      'Of rounds that ended in the period: the running UTC hour and the given number of hours before it.',
    auth: { session: true },
    query: z.strictObject({
      period: z.enum(periods).default('7d').describe('The period, which ends now.'),
      project_id: PathProject.optional(),
    }),
    responses: ok('The sums.', ProofStats, {
      submitted: 96,
      verified: 95,
      rejected: 1,
      missed: 4,
      success_bp: 9_500,
      avg_finality_ms: 4_120,
      rejection_reasons: { disagreed: 1, missed: 4 },
    }),
  },
  async (c, { query: { period, project_id: projectId } }) => {
    const { store, clock } = c.var.services
    const hours = periodHours[period]
    const since = hours === null ? null : Math.floor((await clock.now()) / hourSecs) - hours
    return json(statsView(await store(ProofStore).counts(callerOf(c), projectId, since)))
  },
)

export function statsView(counts: ProofCounts): z.output<typeof ProofStats> {
  const { verified, finalityMs, disagreed, invalidVote, late, missed } = counts
  const rejected = disagreed + invalidVote + late
  const all = verified + rejected + missed
  const reasons = { disagreed, invalid_vote: invalidVote, late, missed }
  return {
    submitted: verified + rejected,
    verified,
    rejected,
    missed,
    success_bp: all === 0 ? 0 : Math.round((verified * basisPointsMax) / all),
    avg_finality_ms: verified === 0 ? 0 : Math.round(finalityMs / verified),
    rejection_reasons: Object.fromEntries(Object.entries(reasons).filter(([, count]) => count > 0)),
  }
}
