import * as z from 'zod'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Amount, Timestamp, TokenView } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { NetworkFiguresStore } from '../../stores/network-figures.ts'
import { NetworkPulse, pulseMax } from '../../stores/network-pulse.ts'
import { tokenExample } from '../projects/example.ts'

const hourSecs = 3_600

const ExplorerStats = z
  .strictObject({
    projects_listed: z.int(),
    miners_online: z.int().describe('Wallets with at least one connected device.'),
    devices_online: z.int().describe('Connected devices, with or without a free slot.'),
    rounds_24h: z.int().describe('Rounds that ended.'),
    rounds_finalized_24h: z.int(),
    units_24h: z.int().describe('Units credited to all members together.'),
    validators: z.int(),
    collateral_bonded: Amount,
    sets: z
      .strictObject({
        running: z.int().describe('Epochs that run now.'),
        attested: z.int().describe('Those of them whose set of devices a quorum of the validators attested.'),
      })
      .describe(`Of the ${pulseMax} newest listed projects.`),
    rewards: z
      .strictObject({
        amount: Amount.describe('Of devices, developers and the treasury together.'),
        token: TokenView.describe('The token that most of these epochs pay; others are not counted.'),
        epochs: z.int(),
        since: Timestamp.describe('When the oldest of them was attested.'),
      })
      .nullable()
      .describe(`Of the ${pulseMax} newest epochs that validators attested; null before the first.`),
    updated_at: Timestamp.describe(
      'Time of the last count of all figures except rounds and units, every five minutes; 0 before the first count.',
    ),
  })
  .meta({ id: 'ExplorerStats' })

export const getExplorerStats = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/stats',
    operationId: 'getExplorerStats',
    tag: 'Explorer',
    summary: 'Read the statistics of the network',
    description: 'Rounds and units are those of the running hour and the 24 hours before it.',
    cache: { maxAgeSeconds: 10 },
    responses: ok('The statistics.', ExplorerStats, {
      projects_listed: 12,
      miners_online: 40,
      devices_online: 57,
      rounds_24h: 8_640,
      rounds_finalized_24h: 8_612,
      units_24h: 25_836,
      validators: 4,
      collateral_bonded: '342000000000000000000',
      sets: { running: 12, attested: 12 },
      rewards: { amount: '9100000000000000000', token: tokenExample, epochs: 50, since: example.time },
      updated_at: example.time,
    }),
  },
  async (c) => {
    const { clock, store } = c.var.services
    const pulse = store(NetworkPulse)
    const now = await clock.now()
    const [figures, sets, rewards] = await Promise.all([
      store(NetworkFiguresStore).read(Math.floor(now / hourSecs) - 24),
      pulse.sets(now),
      pulse.rewards(),
    ])
    return json({
      projects_listed: figures.projectsListed,
      miners_online: figures.minersOnline,
      devices_online: figures.devicesOnline,
      rounds_24h: figures.rounds,
      rounds_finalized_24h: figures.finalized,
      units_24h: figures.units,
      validators: figures.validators,
      collateral_bonded: figures.collateralBonded,
      sets,
      rewards: rewards && { ...rewards, token: JSON.parse(rewards.token) },
      updated_at: figures.updatedAt,
    })
  },
)
