import * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { isOver, latest } from '../../rounds/find-round.ts'
import { defineRoute, ok } from '../../route.ts'
import { epochRound } from '../../stores/round-lists.ts'
import { PathRoundId, RoundView, roundExample } from './schema.ts'
import { attemptIn, directView, fileView, listedRound, summaryView, taskView } from './view.ts'

export const getRound = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/rounds/{round_id}',
    operationId: 'getRound',
    tag: 'Explorer',
    summary: 'Read a round, with all its signed messages',
    description:
      'Committee, votes and finality are included once the round is over. The path has the percent-encoded id.',
    params: z.object({ round_id: PathRoundId }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The round.', RoundView, roundExample),
  },
  async (c, { params: { round_id: id } }) =>
    json(id.startsWith('epoch:') ? await epochRoundView(c, id) : await ownRoundView(c, id)),
)

async function ownRoundView(c: HubContext, id: string): Promise<z.output<typeof RoundView>> {
  const { rounds, roundFiles, beacons } = c.var.services
  const [row, known] = await Promise.all([rounds.find(id), beacons.valueOfRound(id)])
  const round = await latest(c.var.services, id, row)
  if (round === null) throw noRound(id)
  const task = taskView(round)
  return {
    ...summaryView(listedRound(round)),
    ...(task !== null && { task }),
    ...(isOver(round) && (await said())),
  }

  async function said(): Promise<Partial<z.output<typeof RoundView>>> {
    if (task === null) return directView(await roundFiles.directRound(id))
    const file = await roundFiles.round(id)
    if (file === null) return {}
    // The database may not have the round yet.
    const beacon = row !== null ? known : await beacons.valueOf(file.task.project_id, file.task.epoch)
    return fileView(c.var.settings.PROFILE, file, beacon)
  }
}

async function epochRoundView(c: HubContext, id: string): Promise<z.output<typeof RoundView>> {
  const [, projectId = '', epoch = ''] = id.split(':')
  const { epochs, paramsSchedule } = c.var.services
  const row = await epochs.find(projectId, Number(epoch))
  const round = row && epochRound(row, attemptIn(paramsSchedule)(row))
  if (round?.roundId !== id) throw noRound(id)
  return summaryView(round)
}

const noRound = (id: string): ApiError => new ApiError('not_found', `The round ${id} does not exist.`)
