import type { Context, Hono } from 'hono'
import type { Principal } from './auth/principal.ts'
import type { Env, Settings } from './env.ts'
import type { Services } from './services.ts'

/** What the RateLimit headers of the response say. */
export interface RateLimitReport {
  limit: number
  remaining: number
  resetSeconds: number
}

export interface HubVariables {
  requestId: string
  settings: Settings
  services: Services
  principal: Principal | null
  rateLimit: RateLimitReport | undefined
  /** The body's bytes once read; a stream can be read only once and two checks need it. */
  body: Uint8Array | undefined
}

export type HubBindings = { Bindings: Env; Variables: HubVariables }
export type HubContext = Context<HubBindings>
export type App = Hono<HubBindings>
