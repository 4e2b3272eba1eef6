import * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { defineRoute } from '../../route.ts'
import type { Module } from '../../stores/modules.ts'
import { ModuleParams, ModuleView, moduleExample, moduleView } from './schema.ts'

export const getModule = defineRoute(
  {
    method: 'get',
    path: '/v1/modules/{address}',
    operationId: 'getModule',
    tag: 'Modules',
    summary: 'Read the record of a module',
    params: z.object(ModuleParams),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: { 200: { description: 'The record.', schema: ModuleView, example: moduleExample } },
  },
  async (c, { params }) => json(moduleView(await findModule(c, params.address))),
)

/** @throws {@link ApiError} 404 `not_found`. */
export async function findModule(c: HubContext, address: string): Promise<Module> {
  const module = await c.var.services.modules.find(address)
  if (!module) throw new ApiError('not_found', `No module with the address ${address} was uploaded here.`)
  return module
}
