import * as z from 'zod'
import { basisPointsMax } from '../../../../protocol/encoding/index.ts'
import { json } from '../../../http/answer.ts'
import { Amount } from '../../../http/formats.ts'
import { defineRoute, ok } from '../../../route.ts'
import {
  type Analytics,
  type AnalyticsDay,
  ProjectAnalyticsStore,
} from '../../../stores/project-analytics.ts'
import { findOwn } from '../../projects/access.ts'
import { ProjectParams, statsPeriods } from '../../projects/schema.ts'

const daySecs = 86_400
/** The longest period: an answer has at most this many points. */
const daysMax = 366
export const periodDays = { '24h': 1, '7d': 7, '30d': 30, all: daysMax } as const

/** The members that routes about a developer's own project declare. */
export const ofOwnProject = {
  tag: 'Developers',
  auth: { session: true, apiKey: 'analytics:read', project: 'project_id' },
  params: z.object(ProjectParams),
  errors: ['not_found', 'not_owner'],
} as const

export const PeriodQuery = z.strictObject({ period: z.enum(statsPeriods).default('7d') })

const AnalyticsPoint = z
  .strictObject({
    t: z.int().describe('Start of the UTC day, in Unix seconds.'),
    tasks: z.int().describe('Tasks whose rounds have ended.'),
    miners: z.int().describe('Most recipients of one attested epoch of the day.'),
    units: z.int(),
  })
  .meta({ id: 'AnalyticsPoint' })

const AnalyticsView = z
  .strictObject({
    period: z.enum(statsPeriods),
    miners_total: z.int().describe('Bonded devices.'),
    miners_active: z.int().describe('Recipients of the last epoch that was settled in the period.'),
    tasks_submitted: z.int().describe('Tasks whose rounds have ended.'),
    tasks_finalized: z.int(),
    tasks_failed: z.int(),
    tasks_fallback: z.int().describe('Tasks that validators ran, without a committee.'),
    avg_finality_ms: z.int().describe('0 without a final round.'),
    avg_lease_ms: z.int().describe('From lease to vote, in whole seconds of each vote; 0 without votes.'),
    rewards_distributed: Amount.describe('Paid to miners in epochs that were settled in the period.'),
    slashing_events: z.int().describe('Executed slashes.'),
    uptime_bp: z.int().describe('Share of asked primary members that voted in time; 0 if none was asked.'),
    series: z.array(AnalyticsPoint).describe('One point for each UTC day, oldest first.'),
  })
  .meta({ id: 'ProjectAnalytics' })

export const getProjectAnalytics = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/projects/{project_id}/analytics',
    operationId: 'getProjectAnalytics',
    summary: 'Read how your project did in a period',
    description: `Of epochs that end in the period, and of the running one. \`all\` shows the last ${daysMax} days.`,
    ...ofOwnProject,
    query: PeriodQuery,
    responses: ok('The figures.', AnalyticsView, {
      period: '24h',
      miners_total: 12,
      miners_active: 9,
      tasks_submitted: 340,
      tasks_finalized: 338,
      tasks_failed: 2,
      tasks_fallback: 4,
      avg_finality_ms: 4_120,
      avg_lease_ms: 2_000,
      rewards_distributed: '18620000000000000',
      slashing_events: 0,
      uptime_bp: 9_930,
      series: [{ t: 1_793_577_600, tasks: 340, miners: 9, units: 1_690 }],
    }),
  },
  async (c, { params: { project_id: id }, query: { period } }) => {
    const { clock, store } = c.var.services
    const now = await clock.now()
    const since = now - periodDays[period] * daySecs
    const [{ project }, analytics] = await Promise.all([
      findOwn(c, id),
      store(ProjectAnalyticsStore).read(id, since, now),
    ])
    const { last, before } = analytics
    const from = Math.max(since, project.createdAt)
    return json({
      period,
      miners_total: project.miners,
      miners_active: last !== null && last.seq !== before?.seq ? last.miners : 0,
      ...taskFigures(analytics),
      rewards_distributed: String(BigInt(last?.paid ?? '0') - BigInt(before?.paid ?? '0')),
      slashing_events: (last?.slashes ?? 0) - (before?.slashes ?? 0),
      series: series(analytics.days, from, now),
    })
  },
)

export const sumOf = (days: readonly AnalyticsDay[], member: Exclude<keyof AnalyticsDay, 'day'>): number =>
  days.reduce((sum, day) => sum + day[member], 0)

function taskFigures({ days }: Analytics) {
  const of = (member: Parameters<typeof sumOf>[1]) => sumOf(days, member)
  const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round(part / whole))
  return {
    tasks_submitted: of('rounds'),
    tasks_finalized: of('finalized'),
    tasks_failed: of('rounds') - of('finalized'),
    tasks_fallback: of('fallback'),
    avg_finality_ms: share(of('finalityMs'), of('timed')),
    avg_lease_ms: share(1000 * of('leaseSecs'), of('answered')),
    uptime_bp: share(basisPointsMax * of('answered'), of('primaries')),
  }
}

/** Days without rounds have points too. */
function series(days: readonly AnalyticsDay[], since: number, now: number) {
  const known = new Map(days.map((day) => [day.day, day]))
  const dayOf = (time: number) => Math.floor(time / daySecs)
  // The running epoch may end on the next day.
  const last = Math.max(dayOf(now), days.at(-1)?.day ?? 0)
  const first = Math.max(dayOf(since), last - daysMax)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const day = known.get(first + index)
    return {
      t: (first + index) * daySecs,
      tasks: day?.rounds ?? 0,
      miners: day?.miners ?? 0,
      units: day?.units ?? 0,
    }
  })
}
