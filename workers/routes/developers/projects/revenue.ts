import * as z from 'zod'
import { json } from '../../../http/answer.ts'
import { defineRoute, ok } from '../../../route.ts'
import type { ListedEpoch } from '../../../stores/epochs.ts'
import { EpochSummary, EpochTotals, epochExample } from '../../explorer/schema.ts'
import { epochView } from '../../explorer/view.ts'
import { findOwn } from '../../projects/access.ts'
import { ofOwnProject, PeriodQuery, periodDays } from './analytics.ts'

/** An answer has at most this many epochs; the shortest epochs last an hour. */
const epochsMax = 1_000

const RevenueView = z
  .strictObject({
    items: z.array(EpochSummary).describe('Newest first.'),
    totals: EpochTotals.describe('Sums over the items that were not vetoed.'),
    more: z.boolean().describe('Whether the period has older epochs, which are not in the sums.'),
  })
  .meta({ id: 'ProjectRevenue' })

export const getProjectRevenue = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/projects/{project_id}/revenue',
    operationId: 'getProjectRevenue',
    summary: 'Read what the attested epochs of your project came to',
    description: `Of epochs that ended in the period; \`all\` shows the newest ${epochsMax}.`,
    ...ofOwnProject,
    query: PeriodQuery,
    responses: ok('The epochs and their sums.', RevenueView, {
      items: [epochExample],
      totals: epochExample.totals,
      more: false,
    }),
  },
  async (c, { params: { project_id: projectId }, query: { period } }) => {
    const { clock, epochs } = c.var.services
    const now = await clock.now()
    const since = period === 'all' ? 0 : now - periodDays[period] * 86_400
    const most = Math.min(epochsMax, Math.ceil((now - since) / 3_600) + 1)
    const [, listed] = await Promise.all([
      findOwn(c, projectId),
      epochs.list({ projectId }, undefined, most + 1, now),
    ])
    const ofPeriod = listed.filter(({ startsAt, epochSecs }) => startsAt + epochSecs > since)
    const items = ofPeriod.slice(0, most)
    return json({
      items: items.map((row) => epochView(row, now)),
      totals: totalsOf(items),
      more: ofPeriod.length > most,
    })
  },
)

/** A project has one reward token. */
function totalsOf(epochs: readonly ListedEpoch[]) {
  const paid = epochs.filter(({ state }) => state !== 'vetoed').map(({ totals }) => totals)
  const sum = (member: 'gross' | 'miner' | 'developer' | 'treasury') =>
    String(paid.reduce((all, totals) => all + BigInt(totals[member]), 0n))
  return {
    units: paid.reduce((all, { units }) => all + units, 0),
    gross: sum('gross'),
    miner: sum('miner'),
    developer: sum('developer'),
    treasury: sum('treasury'),
  }
}
