import { openInspector } from '../../testing/inspector.ts'

const mebibyte = 1024 * 1024

interface HeapUsage {
  readonly usedSize: number
  readonly embedderHeapUsedSize: number
  readonly backingStorageSize: number
}

/**
 * Collects the garbage of the hub's isolate.
 *
 * @param inspector - URL of workerd's inspector.
 * @returns The MiB still in use, as V8 counts them: the limit of 128 MB applies to these.
 */
export async function collectedHeap(inspector: URL): Promise<number> {
  const { call, close } = await openInspector(inspector, 'core:user:hub')
  try {
    await call('HeapProfiler.collectGarbage')
    const used = (await call('Runtime.getHeapUsage')) as HeapUsage
    return (used.usedSize + used.embedderHeapUsedSize + used.backingStorageSize) / mebibyte
  } finally {
    close()
  }
}
