import { callOwn, watchHub } from './watch.ts'

/** How the hub starts again, as {@link wrap} is told. */
interface Restart {
  /** Settings that differ from those that it was started with. */
  readonly vars: Bindings
  /** Whether objects still have what they have stored, as after a deployment. */
  readonly keeps: boolean
}

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

type Bindings = Record<string, unknown>

const startsAgain = 'The hub starts again.'

/**
 * The hub on a platform whose parts can be taken away, by requests to `/faults`. A request to `/restart` starts it again with
 * other settings; the hub itself has no such paths.
 */
export function wrap(
  hub: Record<string, unknown>,
  { bindings: bindingOf }: { bindings: Readonly<Record<string, string>> },
): Record<string, unknown> {
  let faults: Faults = {}
  let given: Bindings = {}
  /** New for each change: the hub remembers by bindings, such as its last health, and acts with new ones like a new isolate. */
  let bindings: Bindings | null = null
  /** The classes of objects by their ids. */
  const objects = new Map<string, string>()
  const now = Date.now
  Date.now = () => now() + (faults.aheadMs ?? 0)

  async function restart({ vars, keeps }: Restart): Promise<void> {
    faults = {}
    bindings = { ...given, ...vars }
    const known = [...objects]
    objects.clear()
    await Promise.all(
      known.map(([id, owner]) =>
        callOwn(given[bindingOf[owner]!], id, keeps ? 'platformEnd' : 'platformForget').catch(
          (error: Error) => {
            if (error.message !== startsAgain) throw error
          },
        ),
      ),
    )
  }

  const orders: Record<string, (told: object) => Promise<void> | void> = {
    '/restart': (told) => restart(told as Restart),
    '/faults': (told) => {
      faults = told
      bindings = { ...(bindings ?? given) }
    },
  }
  return watchHub(hub, {
    async around(use, run) {
      if (use.kind === 'event' && use.owner === 'Worker' && use.name === 'fetch') {
        const request = use.args[0] as Request
        const order = URL.canParse(request.url) && orders[new URL(request.url).pathname]
        if (order) {
          try {
            await order(await request.json())
            return new Response()
          } catch (error) {
            return new Response((error as Error).message, { status: 500 })
          }
        }
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
    making: (owner, ctx) => void objects.set(ctx.id.toString(), owner),
    bindings(env) {
      given = env as Bindings
      return bindings ?? env
    },
    own: {
      platformEnd: (ctx) => end(ctx, async () => {}),
      platformForget: (ctx) =>
        end(ctx, async () => {
          await ctx.storage.deleteAll()
          await ctx.storage.deleteAlarm()
        }),
    },
  })
}

/** Nothing that runs in the object goes on meanwhile, and nothing after. */
const end = (ctx: DurableObjectState, prepare: () => Promise<void>): Promise<void> =>
  ctx.blockConcurrencyWhile(async () => {
    await prepare()
    await ctx.storage.sync()
    ctx.abort(startsAgain)
  })
