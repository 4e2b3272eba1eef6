import type { Context, HonoRequest } from 'hono'
import { newOperation, type Operation } from './auth/operation.ts'
import { type Credential, holderOf, type Principal } from './auth/principal.ts'
import { type Env, readSettings, type Settings } from './env.ts'
import { type Services, services } from './services.ts'
import { type Consistency, RequestDatabase } from './stores/request-database.ts'

export interface RateLimitReport {
  limit: number
  remaining: number
  resetSeconds: number
}

/** Thrown where a handler that began early asks who calls before its first read; it begins again once that is known. */
export class CallerUnknown extends Error {
  override readonly name = 'CallerUnknown'
}

export class HubVariables {
  readonly requestId = crypto.randomUUID()
  /** The credential of the request, before it is checked; null if the request carries none. */
  credential: Credential | null = null
  readonly database: RequestDatabase
  rateLimit: RateLimitReport | undefined
  /** The query parameters that the request for the next page replaces; null without a next page. */
  nextPage: Record<string, string> | null = null
  /** The body's bytes once read; a stream can be read only once and two checks need it. */
  body: Uint8Array | undefined
  /** Bytes of the body so far, also of one that is not kept. */
  bodyLength = 0
  /** SHA-256 of a body that is not kept, where it tells requests apart. */
  bodyHash: Uint8Array | undefined
  readonly #env: Env
  #settings: Settings | undefined
  #services: Services | undefined
  #principal: Principal | null | undefined
  #operation: Operation | undefined

  constructor(env: Env, consistency: () => Consistency) {
    this.#env = env
    this.database = new RequestDatabase(env.DB, consistency)
  }

  /** The caller; null without a credential. A read handler may begin before the caller is known, and knows it after its first read. */
  get principal(): Principal | null {
    if (this.#principal === undefined) throw new CallerUnknown()
    return this.#principal
  }

  set principal(principal: Principal | null) {
    this.#principal = principal
  }

  /** A wallet, whichever of its sessions and keys it uses, or a node; null for anybody. */
  get holder(): string | null {
    return this.principal && holderOf(this.principal)
  }

  /** The operation that the request carries out once; tries under one `Idempotency-Key` share it. */
  get operation(): Operation {
    this.#operation ??= newOperation()
    return this.#operation
  }

  set operation(operation: Operation) {
    this.#operation = operation
  }

  /** Read here and not before, so that wrong settings are a failure of the request like any other. */
  get settings(): Settings {
    this.#settings ??= readSettings(this.#env)
    return this.#settings
  }

  get services(): Services {
    this.#services ??= services(this.#env)
    return this.#services
  }
}

export type HubBindings = { Bindings: Env }

/** A request and what is known about it. hono's own context copies its variables at every access. */
export interface HubContext {
  readonly req: HonoRequest
  readonly env: Env
  readonly executionCtx: Context['executionCtx']
  readonly var: HubVariables
  /** Reads another path of the hub as anybody at the same client address would. */
  readonly read: (path: string) => Promise<Response>
}
