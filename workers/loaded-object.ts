import { DurableObject } from 'cloudflare:workers'
import type { Env } from './env.ts'

/** The methods of a Durable Object's class that others call; the events of the platform are not among them. */
type Calls<Class> = Omit<Class, keyof DurableObject>

/** Handlers of platform events that a class has. */
type Event = 'alarm' | 'fetch' | 'webSocketMessage' | 'webSocketClose' | 'webSocketError'

interface LoadedOptions<Class> {
  /** Imports the class, and makes the object of it. */
  readonly load: (ctx: DurableObjectState, env: Env) => Promise<Class>
  /** Every method of the class: the platform looks for them before the class is there. */
  readonly methods: Readonly<Record<keyof Calls<Class>, true>>
  readonly events: readonly Event[]
  /** Loads the code at the first call, not when the object is made: one that reads nothing before need not hold back events. */
  readonly isLoadedWhenCalled?: boolean
}

/** A class of Durable Objects whose code is loaded when it is needed. It has the methods and events of the class, and passes every call on. */
export function loadedObject<Class extends DurableObject<Env>>({
  load,
  methods,
  events,
  isLoadedWhenCalled = false,
}: LoadedOptions<Class>): new (
  ctx: DurableObjectState,
  env: Env,
) => DurableObject<Env> & Calls<Class> {
  class Loaded extends DurableObject<Env> {
    #object: Promise<Class> | undefined

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env)
      if (!isLoadedWhenCalled) this.#object = ctx.blockConcurrencyWhile(() => load(ctx, env))
    }

    #load(): Promise<Class> {
      this.#object ??= load(this.ctx, this.env).catch((error: unknown) => {
        this.#object = undefined
        throw error
      })
      return this.#object
    }

    static {
      for (const name of [...Object.keys(methods), ...events]) {
        const value = async function (this: Loaded, ...args: unknown[]): Promise<unknown> {
          const object = (await this.#load()) as unknown as Record<string, (...args: unknown[]) => unknown>
          // biome-ignore lint/plugin/noSpreadArguments: The arguments of one method.
          return object[name]!(...args)
        }
        Object.defineProperty(Loaded.prototype, name, { value })
      }
    }
  }
  return Loaded as never
}
