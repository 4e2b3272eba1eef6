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
  /**
   * Whether the code is loaded at the first call and not when the object is made. An object that reads nothing before
   * does not have to hold back events meanwhile.
   */
  readonly isLoadedWhenCalled?: boolean
}

/**
 * A class of Durable Objects whose code is loaded when it is needed: requests are answered without it. It has the methods
 * and events of the class that it loads, and passes every call on.
 */
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
