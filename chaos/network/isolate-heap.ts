const mebibyte = 1024 * 1024

interface HeapUsage {
  readonly usedSize: number
  readonly embedderHeapUsedSize: number
  readonly backingStorageSize: number
}

/**
 * Collects the garbage of the hub's isolate.
 *
 * @param inspector - Where the inspector of workerd listens.
 * @returns The MiB that are left, as V8 counts them: the limit of 128 MB is about these.
 */
export async function collectedHeap(inspector: URL): Promise<number> {
  const socket = new WebSocket(new URL('/core:user:hub', inspector))
  const { promise: failure, reject } = Promise.withResolvers<never>()
  socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
  socket.addEventListener('close', () => reject(new Error('the inspector has ended')))
  failure.catch(() => {})
  const next = (type: 'open' | 'message') =>
    Promise.race([
      failure,
      new Promise<Event>((resolve) => socket.addEventListener(type, resolve, { once: true })),
    ])
  const call = async (method: string): Promise<unknown> => {
    socket.send(JSON.stringify({ id: 1, method }))
    for (;;) {
      const { id, result } = JSON.parse(String(((await next('message')) as MessageEvent).data))
      if (id === 1) return result
    }
  }
  try {
    await next('open')
    await call('HeapProfiler.collectGarbage')
    const used = (await call('Runtime.getHeapUsage')) as HeapUsage
    return (used.usedSize + used.embedderHeapUsedSize + used.backingStorageSize) / mebibyte
  } finally {
    socket.close()
  }
}
