import {
  defaultNetworkParams,
  hashNetworkParams,
  type NetworkParams,
} from '../../../protocol/identity/index.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { NetworkParamsView } from './schema.ts'

const answerOf = (params: NetworkParams) => ({
  params: { ...params },
  params_hash: hashNetworkParams(params),
})

export const getNetworkParams = defineRoute(
  {
    method: 'get',
    path: '/v1/network/params',
    operationId: 'getNetworkParams',
    tag: 'Network',
    summary: 'Read the network parameters',
    description: 'The limits, windows and lengths that hub, nodes and contracts of this network share.',
    cache: { maxAgeSeconds: 60, keptSeconds: 60 },
    responses: ok(
      'The parameters, and their hash, which all nodes of a network must share.',
      NetworkParamsView,
      answerOf(defaultNetworkParams),
    ),
  },
  (c) => json(answerOf(c.var.services.params)),
)
