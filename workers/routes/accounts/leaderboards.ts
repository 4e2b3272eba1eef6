import * as z from 'zod'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, PathProject } from '../../http/formats.ts'
import { pageQuery } from '../../http/pagination.ts'
import { defineRoute, ok } from '../../route.ts'
import {
  type StandingPeriod,
  StandingStore,
  standingMetrics,
  standingPeriods,
} from '../../stores/standings.ts'

const Leaderboard = z
  .strictObject({
    items: z.array(
      z
        .strictObject({
          rank: z.int(),
          address: Address,
          value: z.string().describe('An amount for `earnings`, basis points for `uptime`, else a number.'),
          devices: z.int().describe('Bound devices of the wallet.'),
        })
        .meta({ id: 'LeaderboardRow' }),
    ),
  })
  .meta({ id: 'Leaderboard' })

export const getLeaderboard = defineRoute(
  {
    method: 'get',
    path: '/v1/leaderboards',
    operationId: 'getLeaderboard',
    tag: 'Accounts',
    summary: 'Show the first wallets by one figure',
    description:
      'Of the network, or of a project. `units` and `earnings` are those of attested epochs, and belong to the wallet that is paid; of the network, those of epochs that are paid in its token. A period is the running UTC day and the 1, 7 or 30 days before it. `uptime`, `reputation` and `devices` are those of the owner of devices: in a period, of the devices that were asked for work in it, counted for each project once in a UTC day, with its first attested epoch; with `period=all`, of all its devices, those of a project as of its last attested epoch.',
    query: z.strictObject({
      metric: z.enum(standingMetrics),
      project_id: PathProject.optional(),
      period: z.enum(Object.keys(standingPeriods) as StandingPeriod[]).default('7d'),
      limit: pageQuery.limit,
    }),
    cache: { maxAgeSeconds: 10 },
    responses: ok('The wallets, first rank first.', Leaderboard, {
      items: [{ rank: 1, address: example.wallet, value: '1200', devices: 3 }],
    }),
  },
  async (c, { query: { metric, project_id: projectId, period, limit } }) => {
    const token = c.var.settings.CHAIN_CONTRACTS?.token ?? ''
    const standings = c.var.services.store(StandingStore)
    const first = await standings.list(metric, { projectId, token, period }, limit ?? 50)
    return json({ items: first.map((standing, i) => ({ rank: i + 1, ...standing })) })
  },
)
