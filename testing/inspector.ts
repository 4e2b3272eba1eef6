/** A session with V8 in an isolate of workerd. */
export interface Inspector {
  readonly call: (method: string, params?: object) => Promise<unknown>
  readonly close: () => void
}

/** The isolates of a workerd, by the names that Miniflare gives them. @param inspector - Where its inspector listens. */
export async function listIsolates(inspector: URL): Promise<string[]> {
  const url = new URL('/json/list', inspector)
  url.protocol = 'http:'
  const targets = (await (await fetch(url)).json()) as { id: string }[]
  return targets.map(({ id }) => id)
}

/** Opens a session with an isolate. @throws when the inspector does not answer, then or later. */
export async function openInspector(inspector: URL, isolate: string): Promise<Inspector> {
  const socket = new WebSocket(new URL(`/${isolate}`, inspector))
  const { promise: failure, reject } = Promise.withResolvers<never>()
  socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
  socket.addEventListener('close', () => reject(new Error('the inspector has ended')))
  failure.catch(() => {})
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  await Promise.race([failure, new Promise((resolve) => socket.addEventListener('open', resolve))])
  let calls = 0
  return {
    call(method, params = {}) {
      calls += 1
      const { promise, resolve } = Promise.withResolvers<unknown>()
      waiting.set(calls, resolve)
      socket.send(JSON.stringify({ id: calls, method, params }))
      return Promise.race([failure, promise])
    },
    close: () => socket.close(),
  }
}
