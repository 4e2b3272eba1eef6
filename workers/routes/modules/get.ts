import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { findModule } from './known.ts'
import { ModuleParams, ModuleView, moduleExample, moduleView } from './schema.ts'

export const getModule = defineRoute(
  {
    method: 'get',
    path: '/v1/modules/{address}',
    operationId: 'getModule',
    tag: 'Modules',
    summary: 'Read the record of a module',
    description:
      'The facts about an artifact, without its bytes, which `GET /v1/modules/{address}/hbc` answers.',
    params: z.object(ModuleParams),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The record.', ModuleView, moduleExample),
  },
  async (c, { params }) => json(moduleView((await findModule(c, params.address)).record)),
)
