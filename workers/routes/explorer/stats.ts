import * as z from 'zod'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Amount, Timestamp } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'

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
      updated_at: example.time,
    }),
  },
  async (c) => {
    const { networkFigures, clock } = c.var.services
    const hour = Math.floor((await clock.now()) / hourSecs)
    const figures = await networkFigures.read(hour - 24)
    return json({
      projects_listed: figures.projectsListed,
      miners_online: figures.minersOnline,
      devices_online: figures.devicesOnline,
      rounds_24h: figures.rounds,
      rounds_finalized_24h: figures.finalized,
      units_24h: figures.units,
      validators: figures.validators,
      collateral_bonded: figures.collateralBonded,
      updated_at: figures.updatedAt,
    })
  },
)
