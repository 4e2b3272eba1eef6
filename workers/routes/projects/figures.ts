import * as z from 'zod'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Amount, Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { defineRoute, ok } from '../../route.ts'
import type { ProjectMiner } from '../../stores/project-figures.ts'
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
    miner: Address.describe('The payout address.'),
    rounds: z.int().describe('Credited rounds.'),
    units: z.int(),
    earned: Amount,
    first_credited_at: Timestamp,
    last_credited_at: Timestamp,
  })
  .meta({ id: 'ProjectMiner' })

export const listProjectMiners = defineRoute(
  {
    method: 'get',
    path: '/v1/projects/{project_id}/miners',
    operationId: 'listProjectMiners',
    tag: 'Projects',
    summary: 'List the miners of a project, most units first',
    params: z.object(ProjectParams),
    query: z.strictObject(pageQuery),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: onePage('ProjectMinerPage', MinerView, {
      miner: example.wallet,
      rounds: 40,
      units: 1_200,
      earned: '31000000000000000000',
      first_credited_at: example.time,
      last_credited_at: example.time,
    }),
  },
  async (c, { params: { project_id }, query }) => {
    const { projectFigures } = c.var.services
    const visible = findVisibleProject(c, project_id)
    const page = answerPage(c, {
      list: `project-miners project=${project_id}`,
      query,
      by: ['units', 'miner'],
      fetch: (after, limit) => projectFigures.miners(project_id, after, limit),
      view: minerView,
    })
    const [, answer] = await Promise.all([visible, page])
    return answer
  },
)

const minerView = (row: ProjectMiner) => ({
  miner: row.miner,
  rounds: row.rounds,
  units: row.units,
  earned: row.earned,
  first_credited_at: row.firstCreditedAt,
  last_credited_at: row.lastCreditedAt,
})
