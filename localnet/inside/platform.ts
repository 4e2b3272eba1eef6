import { AsyncLocalStorage } from 'node:async_hooks'
import unsafe from 'workerd:unsafe'
import { Connections } from './connections.ts'
import { createDatabase, pause } from './database.ts'
import { createDraws } from './draws.ts'
import type { PlatformSettings } from './limits.ts'
import { redeliver } from './queue.ts'
import { callOwn, type Use, type Watch, watchHub } from './watch.ts'

/** The path at which a deployment is asked for; the hub itself has no such path. */
const deploymentPath = '/platform/deployment'
/** Objects of each class that a deployment finds; older ones have left the memory, and with them their sockets. */
const knownMax = 100_000

const moved = 'Durable Object reset because its code was updated.'

/** The hub under the limits of Cloudflare, which workerd does not have by itself. */
export function wrap(hub: Record<string, unknown>, settings: PlatformSettings): Record<string, unknown> {
  const { limits, bindings } = settings
  const draws = createDraws(settings.seed)
  const database = createDatabase(draws, limits)
  const invocation = new AsyncLocalStorage<Connections>()
  /** Objects by class and id, the last used at the end, each with how many of its events run. */
  const objects = new Map<string, Map<string, number>>()

  const connected = (run: () => Promise<unknown>, signal?: AbortSignal | null) =>
    (invocation.getStore() ?? new Connections(limits.connections)).through(run, signal)
  const note = (owner: string, id: string, eventsOf: (before: number) => number) => {
    const known = objects.get(owner) ?? new Map<string, number>()
    objects.set(owner, known)
    const events = eventsOf(known.get(id) ?? 0)
    known.delete(id)
    known.set(id, events)
    if (known.size > knownMax) known.delete(known.keys().next().value!)
  }
  const isIdle = (id: string) => [...objects.values()].every((known) => (known.get(id) ?? 0) === 0)

  /** The sockets of objects that have left the memory are closed too: the object is made again for that. */
  async function deploy(env: Record<string, unknown>): Promise<Response> {
    const resets = [...objects].flatMap(([owner, known]) =>
      [...known.keys()].map((id) => callOwn(env[bindings[owner]!], id, 'platformReset').catch(() => {})),
    )
    objects.clear()
    await Promise.all(resets)
    return Response.json({ objects: resets.length })
  }

  async function event(use: Use & { kind: 'event' }, run: () => Promise<unknown>): Promise<unknown> {
    const { ctx, owner, name, args } = use
    if (ctx === null) {
      if (name === 'fetch' && isDeployment(args[0] as Request))
        return deploy(args[1] as Record<string, unknown>)
      if (name !== 'queue') return run()
      return redeliver(args, run, draws, limits)
    }
    const id = ctx.id.toString()
    note(owner, id, (before) => before + 1)
    try {
      const isMoved = draws.isHit(limits.moved)
      if (isMoved && draws.isHit(0.5)) ctx.abort(moved)
      if (name === 'alarm' && draws.isHit(limits.alarmLate)) await pause(draws.between(limits.alarmLateMs))
      const result = await run()
      if (name === 'alarm' && draws.isHit(limits.alarmTwice)) await run()
      if (isMoved) ctx.abort(moved)
      return result
    } finally {
      note(owner, id, (before) => Math.max(0, before - 1))
    }
  }

  /** Calls of one stub arrive in their order. */
  const arrivals = new WeakMap<DurableObjectStub, number>()
  async function call({ stub }: Use & { kind: 'call' }, run: () => Promise<unknown>): Promise<unknown> {
    const wayMs = draws.between(limits.callMs) / 2
    const arrivalMs = Math.max(Date.now() + wayMs, arrivals.get(stub) ?? 0)
    arrivals.set(stub, arrivalMs)
    await pause(arrivalMs - Date.now())
    const result = await run()
    await pause(wayMs)
    const id = stub.id.toString()
    if (draws.isHit(limits.evicted) && isIdle(id)) await evict(stub)
    return result
  }

  const around: Watch['around'] = (use, run) => {
    switch (use.kind) {
      case 'event':
        return invocation.run(new Connections(limits.connections), () => event(use, run))
      case 'trip':
        return connected(() => database(use.statements, run))
      case 'file':
        return connected(async () => {
          const [result] = await Promise.all([run(), pause(draws.between(limits.fileMs))])
          return result
        })
      case 'outside':
        return connected(run, use.signal)
      case 'message':
        if (draws.isHit(limits.messageLate)) use.args[1] = { ...(use.args[1] as object), delaySeconds: 1 }
        return connected(run)
      case 'call':
        return call(use, run)
    }
  }
  return watchHub(hub, {
    around,
    // Events that ran in the object before have ended with it.
    making: (owner, ctx) => note(owner, ctx.id.toString(), () => 0),
    own: { platformReset: (ctx) => ctx.abort(moved) },
  })
}

const isDeployment = ({ method, url }: Request): boolean =>
  method === 'POST' && URL.canParse(url) && new URL(url).pathname === deploymentPath

/** An object that an event reaches meanwhile stays. */
const evict = (stub: DurableObjectStub): Promise<unknown> =>
  Promise.race([unsafe.evict(stub, { webSockets: 'hibernate' }).catch(() => {}), pause(50)])
