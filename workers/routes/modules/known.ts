import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { Module } from '../../stores/modules.ts'

interface FoundModule {
  record: Module
  /** The bytes, or the part of them in `range`. */
  open: (range?: { offset: number; length: number }) => Promise<ReadableStream | Uint8Array>
}

/** A module that was uploaded, or one of the benchmark suite. @throws {@link ApiError} 404 `not_found`. */
export async function findModule(c: HubContext, address: string): Promise<FoundModule> {
  const found = await findKnownModule(c, address)
  if (found === null) throw new ApiError('not_found', `The module ${address} does not exist on this hub.`)
  return found
}

/** As {@link findModule}; null for one that nobody knows. */
export async function findKnownModule(c: HubContext, address: string): Promise<FoundModule | null> {
  const { modules } = c.var.services
  const record = await modules.find(address)
  if (record !== null) return { record, open: (range) => modules.open(record, range) }
  const { findSuiteModule } = await import('../../benchmarks/suite-modules.ts')
  const found = await findSuiteModule(c.env.ASSETS, address)
  if (found === null) return null
  const { bytes } = found
  return {
    record: found.record,
    open: async ({ offset, length } = { offset: 0, length: bytes.length }) =>
      bytes.subarray(offset, offset + length),
  }
}
