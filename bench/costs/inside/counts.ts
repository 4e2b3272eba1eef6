import { AsyncLocalStorage } from 'node:async_hooks'
import {
  replace,
  running,
  type Statement,
  type Use,
  type Watch,
  watchHub,
} from '../../../localnet/inside/watch.ts'

/** Frames and alarms of an object do not count as calls. */
const kinds: Readonly<Record<string, string>> = { alarm: 'alarm', webSocketMessage: 'message' }
const r2Classes: Readonly<Record<string, string>> = {
  put: 'classA',
  list: 'classA',
  get: 'classB',
  head: 'classB',
}

/**
 * Counts what the hub uses; `GET /counts` answers the counts. Units are named after whose they are: `Round.call`,
 * `Round.rowsWritten`, `D1.rowsRead`. The count itself costs time, so no CPU is measured with it.
 */
export function wrap(hub: Record<string, unknown>): Record<string, unknown> {
  const counts: Record<string, number> = {}
  const note = (name: string, by = 1) => {
    counts[name] = (counts[name] ?? 0) + by
  }
  const noteRead = countStorage(note)
  let chainUrl: string | undefined
  const unseen = new AsyncLocalStorage<boolean>()

  const answerCounts = () => {
    noteRead.end()
    return Promise.resolve(Response.json(counts))
  }
  async function event({ owner, name, ctx, args }: Use & { kind: 'event' }, run: () => Promise<unknown>) {
    if (ctx !== null) {
      if (isNoTask(owner, name)) return unseen.run(true, run)
      note(`${owner}.${kinds[name] ?? 'call'}`)
      if (/^\{"type":"decided"/.test(String(args[1]).slice(0, 24))) note('validators.frame')
      return lasting(ctx, run)
    }
    if (name !== 'fetch') return run()
    const [request, env] = args as [Request, { CHAIN_RPC_URL?: string }]
    chainUrl = env.CHAIN_RPC_URL
    const pathname = URL.canParse(request.url) ? new URL(request.url).pathname : ''
    if (pathname === '/counts') return answerCounts()
    // Simulated nodes ask for the time, once every few seconds and not for each task.
    if (pathname === '/v1/status') return unseen.run(true, run)
    note('Worker.request')
    if ([...request.headers.keys()].some((header) => header.endsWith('-node'))) note('Worker.requestOfNode')
    return run()
  }

  /** An object is charged for as long as any of its events, calls or timers runs, for all of them once. @returns What ends this one. */
  const busy = new WeakMap<DurableObjectState, { with: number; sinceMs: number }>()
  function begin(ctx: DurableObjectState): () => void {
    const state = busy.get(ctx) ?? { with: 0, sinceMs: 0 }
    busy.set(ctx, state)
    if (state.with++ === 0) state.sinceMs = Date.now()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      if (--state.with === 0) note('objects.activeMs', Date.now() - state.sinceMs)
    }
  }
  const lasting = (ctx: DurableObjectState, run: () => Promise<unknown>) => run().finally(begin(ctx))
  countTimers((make) => {
    const ctx = running.getStore()
    return ctx === undefined || unseen.getStore() ? make(() => {}) : make(begin(ctx))
  })

  async function trip(statements: readonly Statement[], run: () => Promise<unknown>): Promise<unknown> {
    // A hub that takes its time from the machine does not ask for the lead of the chain.
    if (statements.length === 1 && statements[0]!.statement.includes('lead_secs')) return run()
    note('D1.trip')
    const result = await run()
    for (const one of resultsOf(result)) {
      note('D1.statement')
      note('D1.rowsRead', one.meta.rows_read)
      note('D1.rowsWritten', one.meta.rows_written)
    }
    return noteSize(result)
  }

  /** A size, no sum. */
  function noteSize(result: unknown): unknown {
    for (const { meta } of resultsOf(result)) counts['D1.bytes'] = meta.size_after
    return result
  }

  // Frames of links; what comes back is counted with the messages.
  replace(WebSocket.prototype, {
    send: (_: object, run: () => unknown, args: readonly unknown[]) => {
      if (/^\{"type":"(decide|finality)"/.test(String(args[0]).slice(0, 24))) note('validators.frame')
      return run()
    },
  })

  const around: Watch['around'] = (use, run) => {
    if (unseen.getStore()) return use.kind === 'trip' ? run().then(noteSize) : run()
    const ctx = running.getStore()
    return ctx === undefined || use.kind === 'event'
      ? count(use, run)
      : lasting(ctx, async () => count(use, run))
  }
  function count(use: Use, run: () => Promise<unknown>): Promise<unknown> {
    switch (use.kind) {
      case 'event':
        return event(use, run)
      case 'trip':
        return trip(use.statements, run)
      case 'file':
        note(`R2.${r2Classes[use.operation] ?? 'free'}`)
        if (use.operation === 'put') note('R2.bytes', bytesOf(use.args[1]))
        return run()
      case 'message':
        // Written, read and deleted.
        note('Queue.operation', 3)
        return run()
      case 'outside':
        note(use.url !== null && use.url === chainUrl ? 'chain.request' : 'outside.request')
        return run()
      case 'call':
        return run()
    }
  }
  return watchHub(hub, { around, making: noteRead.watch })
}

/** @param around - Makes each timer; the `end` that it passes to `make` is called when the timer fires or is cleared. */
function countTimers(
  around: (make: (end: () => void) => ReturnType<typeof setTimeout>) => ReturnType<typeof setTimeout>,
) {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const ends = new Map<unknown, () => void>()
  const counted = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
    around((end) => {
      const timer = set(() => {
        ends.delete(timer)
        end()
        run(...args)
      }, ms)
      ends.set(timer, end)
      return timer
    })
  globalThis.setTimeout = counted as unknown as typeof setTimeout
  globalThis.clearTimeout = ((timer: Parameters<typeof clear>[0]) => {
    ends.get(timer)?.()
    ends.delete(timer)
    clear(timer)
  }) as typeof clearTimeout
}

/** The results of a trip that say how much it used. */
const resultsOf = (result: unknown): D1Result[] =>
  ([result].flat() as Partial<D1Result>[]).filter((one): one is D1Result => one?.meta !== undefined)

/** Following the chain, and calls of `/v1/status` to objects, into which {@link AsyncLocalStorage} does not follow. */
const isNoTask = (owner: string, name: string): boolean =>
  (owner === 'Relayer' && name === 'health') ||
  (owner === 'ChainIndexer' && (name === 'status' || name === 'alarm'))

const bytesOf = (value: unknown): number =>
  typeof value === 'string'
    ? new TextEncoder().encode(value).length
    : ((value as Partial<ArrayBuffer> | null)?.byteLength ?? 0)

/** Rows of objects. */
function countStorage(note: (name: string, by?: number) => void) {
  const owners = new WeakMap<object, string>()
  /** A cursor knows what it cost once it was read, which is before the next one is made. */
  let reading: { owner: string; cursor: SqlStorageCursor<Record<string, SqlStorageValue>> } | null = null
  const end = () => {
    if (reading === null) return
    note(`${reading.owner}.rowsRead`, reading.cursor.rowsRead)
    note(`${reading.owner}.rowsWritten`, reading.cursor.rowsWritten)
    reading = null
  }
  const units =
    (...names: string[]) =>
    (object: object, run: () => unknown) => {
      for (const name of names) note(`${owners.get(object)}.${name}`)
      return run()
    }
  const watch = (owner: string, { storage }: DurableObjectState) => {
    for (const one of [storage, storage.kv, storage.sql]) owners.set(one, owner)
    // An alarm is a row, and so is a value.
    replace(storage, {
      setAlarm: units('setAlarm', 'rowsWritten'),
      deleteAlarm: units('rowsWritten'),
      getAlarm: units('rowsRead'),
      deleteAll: units('end', 'rowsWritten'),
    })
    replace(storage.kv, { get: units('rowsRead'), put: units('rowsWritten'), delete: units('rowsWritten') })
    replace(storage.sql, {
      exec: (object: object, run) => {
        end()
        const owner = owners.get(object)!
        note(`${owner}.statement`)
        const cursor = run() as unknown as SqlStorageCursor<Record<string, SqlStorageValue>>
        reading = { owner, cursor }
        return cursor
      },
    })
  }
  return { watch, end }
}
