import * as z from 'zod'
import { deviceStatuses } from '../../../protocol/identity/index.ts'
import { deviceClasses } from '../../../protocol/manifest/index.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, NodeId, Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery, readsOn } from '../../http/pagination.ts'
import { defineRoute, ok } from '../../route.ts'
import { type StandingPeriod, standingPeriods } from '../../stores/standings.ts'
import type { SubscribedDevice } from '../../stores/subscription-lists.ts'
import { SubscriptionLists } from '../../stores/subscription-lists.ts'
import { standingOf } from '../../stores/subscription-standing.ts'
import { uptimeBp, workDaySecs, workSince } from '../../stores/work-days.ts'
import { deviceStatus } from '../devices/status.ts'
import { findVisibleProject } from './access.ts'
import { statsExample } from './example.ts'
import { ProjectParams, StatsView, statsPeriods } from './schema.ts'
import { readBounds, statsView } from './stats.ts'

export const getProjectStats = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/stats',
    operationId: 'getProjectStats',
    tag: 'Projects',
    summary: 'Read the statistics of a project',
    description:
      'Statistics of the epochs that were settled in the period. An epoch counts once its settlement is irreversible, minutes after its challenge period. Finality, uptime and active miners are those of the last epoch.',
    params: z.object(ProjectParams),
    query: z.strictObject({ period: z.enum(statsPeriods).default('24h') }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The statistics.', StatsView, statsExample),
  },
  async (c, { params: { project_id }, query: { period } }) => {
    const [project, bounds] = await Promise.all([
      findVisibleProject(c, project_id),
      readBounds(c, project_id, period),
    ])
    return json(statsView(project, period, bounds))
  },
)

const MinerView = z
  .strictObject({
    node_id: NodeId,
    owner: Address,
    class: z.enum(deviceClasses).nullable(),
    status: z.enum(deviceStatuses),
    units: z.int().describe('Units credited in the period.'),
    reputation: z.int(),
    uptime_bp: z
      .int()
      .optional()
      .describe('Share of the leases of the period that were answered; absent where none was asked.'),
    since: Timestamp.describe('When its collateral was bonded.'),
  })
  .meta({ id: 'ProjectMiner' })

export const listProjectMiners = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/miners',
    operationId: 'listProjectMiners',
    tag: 'Projects',
    summary: 'List the devices that work for a project, last subscribed first',
    description: `Devices with bonded collateral. A period is the running UTC day and the 1, 7 or 30 days before it. ${readsOn('If many have none')}`,
    params: z.object(ProjectParams),
    query: z.strictObject({
      ...pageQuery,
      period: z.enum(Object.keys(standingPeriods) as StandingPeriod[]).default('7d'),
    }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: onePage('ProjectMinerPage', MinerView, {
      node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
      owner: example.wallet,
      class: 'desktop',
      status: 'online',
      units: 1_200,
      reputation: 5_400,
      uptime_bp: 9_950,
      since: example.time,
    }),
  },
  async (c, { params: { project_id }, query: { period, ...query } }) => {
    const { clock } = c.var.services
    const lists = c.var.services.store(SubscriptionLists)
    const now = await clock.now()
    const visible = findVisibleProject(c, project_id)
    const page = answerPage(c, {
      list: `project-miners project=${project_id}`,
      query,
      by: ['createdAt', 'subscriptionId'],
      keep: (miner: SubscribedDevice) => {
        const { startedAt, status } = standingOf(miner, now)
        return startedAt !== null && status !== 'closed'
      },
      fetch: (after, limit) => lists.listOfProject(project_id, after, limit),
      view: (miner: SubscribedDevice) => minerView(miner, period, now),
    })
    const [, answer] = await Promise.all([visible, page])
    return answer
  },
)

function minerView(miner: SubscribedDevice, period: StandingPeriod, now: number) {
  const { units, answered, asked } = period === 'all' ? sinceEver(miner) : workIn(miner, period, now)
  return {
    node_id: miner.nodeId,
    owner: miner.owner,
    class: miner.class,
    status: miner.device === null ? 'offline' : deviceStatus(miner.device),
    units,
    reputation: miner.reputation,
    uptime_bp: uptimeBp({ answered, asked }),
    since: standingOf(miner, now).startedAt,
  }
}

const workIn = ({ days }: SubscribedDevice, period: StandingPeriod, now: number) =>
  workSince([days], Math.floor(now / workDaySecs) - standingPeriods[period])

function sinceEver({ units, creditedRounds, disagreements, missedLeases }: SubscribedDevice) {
  const answered = creditedRounds + disagreements
  return { units, answered, asked: answered + missedLeases }
}
