import { watchHub } from './watch.ts'

/** Parts that do not work, as {@link wrap} is told. */
interface Faults {
  /** Whether the database is away. */
  readonly database?: boolean
  /** Whether R2 is away. */
  readonly files?: boolean
  /** Durable Objects that have more calls than they can take: a part of their names, such as the project's id. */
  readonly overloaded?: string
  /** How far the clock is ahead. */
  readonly aheadMs?: number
}

/** The path at which faults are set; the hub itself has no such path. */
const path = '/faults'

/** The hub on a platform whose parts can be taken away. */
export function wrap(hub: Record<string, unknown>): Record<string, unknown> {
  let faults: Faults = {}
  /** New for each change of the faults: the hub remembers by bindings, such as its last health, and acts with new ones like a new isolate. */
  let bindings: object | null = null
  const now = Date.now
  Date.now = () => now() + (faults.aheadMs ?? 0)
  return watchHub(hub, {
    async around(use, run) {
      if (use.kind === 'event' && use.owner === 'Worker' && use.name === 'fetch') {
        const request = use.args[0] as Request
        if (URL.canParse(request.url) && new URL(request.url).pathname === path) {
          faults = (await request.json()) as Faults
          bindings = { ...(use.args[1] as object) }
          return new Response()
        }
        use.args[1] = bindings ?? use.args[1]
      }
      if (use.kind === 'trip' && faults.database) throw new Error('D1_ERROR: Network connection lost.')
      if (use.kind === 'file' && faults.files)
        throw new Error('R2 is away: We encountered an internal error. (10001)')
      if (
        use.kind === 'call' &&
        faults.overloaded !== undefined &&
        use.stub.name?.includes(faults.overloaded)
      )
        throw Object.assign(new Error('Durable Object is overloaded. Requests queued for too long.'), {
          overloaded: true,
        })
      return run()
    },
  })
}
