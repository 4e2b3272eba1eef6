import { DurableObject } from 'cloudflare:workers'
import { AsyncLocalStorage } from 'node:async_hooks'

/** One use of the platform by the hub. */
export type Use =
  /** An event of the Worker, whose `ctx` is null, or of an object: a call, an alarm, a message. */
  | { kind: 'event'; owner: string; name: string; ctx: DurableObjectState | null; args: unknown[] }
  /** One way to the database and back, for a statement or a batch. */
  | { kind: 'trip'; statements: readonly Statement[] }
  /** A request to R2. */
  | { kind: 'file'; operation: string; args: readonly unknown[] }
  /** A request to a host outside, or to the cache of a data centre, whose `url` is null. */
  | { kind: 'outside'; url: string | null; signal: AbortSignal | null }
  | { kind: 'message'; args: unknown[] }
  | { kind: 'call'; stub: DurableObjectStub }

/** As D1 itself keeps it. */
export interface Statement {
  readonly statement: string
  readonly params: readonly unknown[]
}

/** The functions called around each use. */
export interface Watch {
  /** @param run Goes on with the use; with `args` as they are by then. */
  around: (use: Use, run: () => Promise<unknown>) => Promise<unknown>
  /** An object is about to be made. */
  making?: (owner: string, ctx: DurableObjectState) => void
  /** The bindings that the Worker and new objects get in place of theirs. */
  bindings?: (env: object) => object
  /** Methods that every object has besides its own. */
  own?: Record<string, (ctx: DurableObjectState) => unknown>
}

type Methods = Record<string, (object: never, run: () => Promise<unknown>, args: unknown[]) => unknown>
type Handler = (...args: unknown[]) => Promise<unknown>
type ObjectClass = new (ctx: DurableObjectState, env: object) => DurableObject

/** Calls one of the methods that {@link Watch} gives every object besides its own. */
export function callOwn(namespace: unknown, id: string, method: string): Promise<void> {
  const objects = namespace as DurableObjectNamespace
  const stub = objects.get(objects.idFromString(id)) as unknown as Record<string, () => Promise<void>>
  return stub[method]!()
}

const replaced = new WeakSet()

/** Replaces methods of the class of an object, for the whole isolate. */
export function replace(object: object, methods: Methods): void {
  const prototype = Object.getPrototypeOf(object)
  if (replaced.has(prototype)) return
  replaced.add(prototype)
  for (const [name, around] of Object.entries(methods)) {
    const original = prototype[name]
    prototype[name] = function (...args: unknown[]) {
      return around(this as never, () => original.apply(this, args), args)
    }
  }
}

/** The hub with a {@link Watch} around its uses; Durable Objects and the Worker share the isolate here. */
export function watchHub(hub: Record<string, unknown>, watch: Watch): Record<string, unknown> {
  const { default: worker, ...classes } = hub as { default: Record<string, Handler> }
  watchGlobals(watch)
  const handlers = Object.entries(worker).map(([name, handler]) => {
    const watched = (...args: unknown[]) => {
      watchBindings(args[1] as object, watch)
      args[1] = watch.bindings?.(args[1] as object) ?? args[1]
      return watch.around({ kind: 'event', owner: 'Worker', name, ctx: null, args }, () => handler(...args))
    }
    return [name, watched] as const
  })
  const objects = Object.entries(classes as unknown as Record<string, ObjectClass>).map(
    ([owner, Class]) => [owner, watchedClass(owner, Class, watch)] as const,
  )
  return { ...Object.fromEntries(objects), default: Object.fromEntries(handlers) }
}

/** The object whose event, or work that follows from one, runs now: its calls of its own methods are not events. */
export const running = new AsyncLocalStorage<DurableObjectState>()

function watchedClass(owner: string, Class: ObjectClass, watch: Watch): ObjectClass {
  // No class: what its constructor does runs inside, as an event does.
  function Watched(ctx: DurableObjectState, env: object) {
    watchBindings(env, watch)
    watch.making?.(owner, ctx)
    const bindings = watch.bindings?.(env) ?? env
    return running.run(ctx, () => Reflect.construct(Class, [ctx, bindings], Watched))
  }
  const made = Watched as unknown as ObjectClass
  made.prototype = Object.create(Class.prototype)
  Object.setPrototypeOf(made, Class)
  const names = new Set<string>()
  for (let at = Class.prototype; at !== DurableObject.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  names.delete('constructor')
  for (const name of names) {
    const original = Class.prototype[name as keyof DurableObject] as Handler | undefined
    if (typeof original !== 'function') continue
    const value = function (this: { ctx: DurableObjectState }, ...args: unknown[]) {
      const { ctx } = this
      if (running.getStore() === ctx) return original.apply(this, args)
      const run = () => running.run(ctx, () => original.apply(this, args))
      return watch.around({ kind: 'event', owner, name, ctx, args }, run)
    }
    Object.defineProperty(made.prototype, name, { value })
  }
  for (const [name, own] of Object.entries(watch.own ?? {})) {
    const value = async function (this: { ctx: DurableObjectState }) {
      await own(this.ctx)
    }
    Object.defineProperty(made.prototype, name, { value })
  }
  return made
}

function watchGlobals({ around }: Watch): void {
  const { fetch } = globalThis
  globalThis.fetch = ((input: RequestInfo, init?: RequestInit) => {
    const request = input instanceof Request ? input : null
    const signal = init?.signal ?? request?.signal ?? null
    return around({ kind: 'outside', url: request?.url ?? String(input), signal }, () => fetch(input, init))
  }) as typeof fetch
  const cached = (_: never, run: () => Promise<unknown>) =>
    around({ kind: 'outside', url: null, signal: null }, run)
  replace(caches.default, { match: cached, put: cached, delete: cached })
}

const seen = new WeakSet()

/** The classes of bindings are those of the isolate, so each is changed once. */
function watchBindings(env: object, { around }: Watch): void {
  if (seen.has(env)) return
  seen.add(env)
  for (const binding of Object.values(env)) {
    if (typeof binding !== 'object' || binding === null) continue
    const kind = binding.constructor.name
    if (kind === 'D1Database') watchDatabase(binding, around)
    if (kind === 'R2Bucket')
      replace(
        binding,
        Object.fromEntries(
          ['put', 'list', 'get', 'head', 'delete'].map((operation) => [
            operation,
            (_, run, args) => around({ kind: 'file', operation, args }, run),
          ]),
        ),
      )
    if (kind === 'WorkerQueue') {
      const sent = (_: never, run: () => Promise<unknown>, args: unknown[]) =>
        around({ kind: 'message', args }, run)
      replace(binding, { send: sent, sendBatch: sent })
    }
    if (kind === 'DurableObjectNamespace') {
      const watched = (_: never, run: () => unknown) => watchedStub(run() as DurableObjectStub, around)
      replace(binding, { get: watched, getByName: watched })
    }
  }
}

function watchDatabase(database: D1Database, around: Watch['around']): void {
  const one = (statement: Statement, run: () => Promise<unknown>) =>
    around({ kind: 'trip', statements: [statement] }, run)
  replace(database.prepare('SELECT 1'), { first: one, run: one, all: one, raw: one })
  replace(database.withSession(), {
    batch: (_, run, [statements]) => around({ kind: 'trip', statements: statements as Statement[] }, run),
  })
  replace(database, { exec: (_, run) => around({ kind: 'trip', statements: [] }, run) })
}

const watchedStub = (stub: DurableObjectStub, around: Watch['around']): DurableObjectStub =>
  new Proxy(stub, {
    get: (_, name) => {
      const member = Reflect.get(stub, name) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]) =>
        around({ kind: 'call', stub }, () => Reflect.apply(member, stub, args) as Promise<unknown>)
    },
  })
