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
  async (c, { params }) => json(moduleView((await findModule(c, params.address)).record)),
)

interface FoundModule {
  record: Module
  /** The bytes, or the part of them in `range`. */
  open: (range?: { offset: number; length: number }) => Promise<ReadableStream | Uint8Array>
}

/**
 * A module that was uploaded, or one of the benchmark suite.
 *
 * @throws {@link ApiError} 404 `not_found`.
 */
export async function findModule(c: HubContext, address: string): Promise<FoundModule> {
  const { modules } = c.var.services
  const record = await modules.find(address)
  if (record !== null) return { record, open: (range) => modules.open(record, range) }
  const { findSuiteModule } = await import('../../benchmarks/suite-modules.ts')
  const found = await findSuiteModule(c.env.ASSETS, address)
  if (found === null)
    throw new ApiError('not_found', `No module with the address ${address} was uploaded here.`)
  const { bytes } = found
  return {
    record: found.record,
    open: async ({ offset, length } = { offset: 0, length: bytes.length }) =>
      bytes.subarray(offset, offset + length),
  }
}
