import * as z from 'zod'
import type { RateLimiter } from '../durable-objects/rate-limiter.ts'
import { type Profile, resolveProfile } from '../protocol/profile.ts'

/** Bindings and raw vars of wrangler.toml, as the platform hands them in. */
export interface Env {
  DB: D1Database
  MODULES: R2Bucket
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>
  ASSETS?: Fetcher
  PROFILE: string
  BASE_URL: string
  WEB_HOSTS?: string
  OPERATOR_ADDRESSES?: string
  RATE_LIMIT_MULTIPLIER?: string
  AUTO_APPROVE_DEVELOPERS?: string
  CHAIN_RPC_URL?: string
  EXPLORER_URL?: string
  HUB_SECRET: string
}

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))

const Settings = z.object({
  /** JSON object with the members of the network profile that differ from the default. */
  PROFILE: z
    .string()
    .default('{}')
    .transform((text) => resolveProfile(JSON.parse(text))),
  /** Where clients reach this hub; also decides whether listing URLs may be http. */
  BASE_URL: z.url({ protocol: /^https?$/ }).transform((url) => new URL(url)),
  /** Further hosts whose pages may ask wallets to sign in, comma separated. */
  WEB_HOSTS: list,
  OPERATOR_ADDRESSES: list.pipe(z.array(z.string().regex(/^0x[0-9a-f]{40}$/))),
  RATE_LIMIT_MULTIPLIER: z.coerce.number().int().min(1).max(1000).default(1),
  /** Enrollments become active and verified at once. */
  AUTO_APPROVE_DEVELOPERS: z.stringbool().default(false),
  /** Absent while the hub runs without a chain: contract wallets cannot sign in then. */
  CHAIN_RPC_URL: z.url().optional(),
  EXPLORER_URL: z.url().optional(),
  /** Keys the cursors; at least 32 characters, the same on every isolate. */
  HUB_SECRET: z.string().min(32),
})

export interface Settings extends z.output<typeof Settings> {
  PROFILE: Profile
}

const parsed = new WeakMap<Env, Settings>()

/** The validated settings. A wrong one fails here, with its name, before any request is answered. */
export function readSettings(env: Env): Settings {
  const known = parsed.get(env)
  if (known) return known
  const result = Settings.safeParse(env)
  if (!result.success) throw new Error(`Wrong settings:\n${z.prettifyError(result.error)}`)
  parsed.set(env, result.data)
  return result.data
}
