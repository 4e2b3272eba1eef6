import * as z from 'zod'
import {
  defaultNetworkParams,
  makeSchedule,
  nextPhase,
  type ParamsPhase,
  type ParamsSchedule,
  phaseAt,
  phaseHash,
} from '../../../protocol/identity/index.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { NetworkParamsView } from './schema.ts'

const shown = (phase: ParamsPhase) => ({ params: { ...phase.params }, params_hash: phaseHash(phase) })

/** The parameters in force at a time, and the next ones if they are known. */
function answerOf(schedule: ParamsSchedule, time: number) {
  const next = nextPhase(schedule, time)
  return { ...shown(phaseAt(schedule, time)), next: next && { from: next.from, ...shown(next) } }
}

export const getNetworkParams = defineRoute(
  {
    method: 'get',
    path: '/v1/network/params',
    operationId: 'getNetworkParams',
    tag: 'Network',
    summary: 'Read the network parameters',
    description:
      'The limits, windows and lengths that hub, nodes and contracts of this network share. An epoch has the parameters of its start: ask for that time to check what happened in it.',
    query: z.strictObject({
      at: z
        .string()
        .regex(/^(0|[1-9][0-9]{0,11})$/, 'must be Unix seconds')
        .optional()
        .describe('Unix seconds of another time than now.')
        .meta({ example: '1767225600' }),
    }),
    cache: { maxAgeSeconds: 60 },
    responses: ok(
      'The parameters, and their hash, which all nodes of a network must share.',
      NetworkParamsView,
      answerOf(makeSchedule(defaultNetworkParams, []), 0),
    ),
  },
  async (c, { query: { at } }) => {
    const { clock, paramsSchedule } = c.var.services
    return json(answerOf(paramsSchedule, at === undefined ? await clock.now() : Number(at)))
  },
)
