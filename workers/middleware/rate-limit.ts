import type { Lease } from '../../durable-objects/rate-limiter.ts'
import type { HubContext, Principal, RateLimitReport } from '../context.ts'
import { ApiError, unavailable } from '../errors.ts'
import { clientSubject } from '../http/client-address.ts'

interface Budget {
  limit: number
  windowSeconds: number
  /** Whether the budget belongs to the credential, or to the client address whatever the credential. */
  per: 'caller' | 'address'
}

const general = {
  anonymous: { limit: 600, windowSeconds: 60, per: 'caller' },
  session: { limit: 1200, windowSeconds: 60, per: 'caller' },
  api_key: { limit: 3000, windowSeconds: 60, per: 'caller' },
  node: { limit: 3000, windowSeconds: 60, per: 'caller' },
} as const satisfies Record<Principal['kind'] | 'anonymous', Budget>

/** Extra budgets that single routes name in their declaration. */
const extra = {
  node_signature: { limit: 3000, windowSeconds: 60, per: 'address' },
  sign_in: { limit: 30, windowSeconds: 60, per: 'address' },
  faucet: { limit: 10, windowSeconds: 60, per: 'caller' },
  module_upload: { limit: 60, windowSeconds: 3600, per: 'caller' },
} as const satisfies Record<string, Budget>

export type BudgetName = keyof typeof extra

/** Tokens this isolate holds for one budget of one subject. */
interface Purse {
  leased: number
  remaining: number
  windowEndsAtMs: number
  refill: Promise<void> | null
}

const purses = new Map<string, Purse>()
/** Above this many subjects, those whose window has ended are dropped, a look at all of them per second at most. */
const pursesMax = 10_000
let nextSweepMs = 0

/**
 * Spends one token of every budget the request falls under, and notes what the RateLimit headers will say: the budget
 * that is nearest to its end.
 *
 * @throws {@link ApiError} 429 `rate_limited` when one of them has run out.
 */
export async function spendRateLimit(c: HubContext, principal: Principal | null, extraBudget?: BudgetName) {
  const address = clientSubject(c.req.header('cf-connecting-ip'))
  const caller = principal === null ? address : principalSubject(principal)
  const kind = principal?.kind ?? 'anonymous'

  const reports = [await spend(c, kind, general[kind], caller)]
  if (extraBudget && !reports[0]?.refused) {
    const budget = extra[extraBudget]
    reports.push(await spend(c, extraBudget, budget, budget.per === 'address' ? address : caller))
  }
  const nearest = reports.reduce((a, b) => (b.remaining <= a.remaining ? b : a))
  report(c, reports.find((candidate) => candidate.refused) ?? nearest)
}

/** Spends a budget of the client address alone, before anything else is done for the request. */
export async function spendAddressBudget(c: HubContext, name: BudgetName): Promise<void> {
  report(c, await spend(c, name, extra[name], clientSubject(c.req.header('cf-connecting-ip'))))
}

function report(c: HubContext, { refused, ...shown }: RateLimitReport & { refused: boolean }): void {
  c.set('rateLimit', shown)
  if (refused)
    throw new ApiError('rate_limited', `Too many requests. Try again in ${shown.resetSeconds} s.`, {
      headers: { 'Retry-After': String(shown.resetSeconds) },
    })
}

/** Names a caller without its secret: rate-limit names appear in logs. */
const principalSubject = (principal: Principal): string => {
  switch (principal.kind) {
    case 'session':
      return principal.address
    case 'api_key':
      return principal.keyId
    case 'node':
      return principal.publicKey
  }
}

async function spend(
  c: HubContext,
  name: string,
  budget: Budget,
  subject: string,
): Promise<RateLimitReport & { refused: boolean }> {
  const limit = budget.limit * c.var.settings.RATE_LIMIT_MULTIPLIER
  const key = `${name}:${subject}`
  const purse = openPurse(key)

  while (true) {
    const nowMs = Date.now()
    const current = purse.windowEndsAtMs > nowMs
    if (current && (purse.leased > 0 || purse.remaining === 0)) {
      const refused = purse.leased === 0
      if (!refused) purse.leased -= 1
      return {
        limit,
        remaining: purse.leased + purse.remaining,
        resetSeconds: Math.max(1, Math.ceil((purse.windowEndsAtMs - nowMs) / 1000)),
        refused,
      }
    }
    // One lease at a time: requests that arrive meanwhile wait for it instead of taking blocks of their own.
    // waitUntil keeps it alive should the request that began it be cancelled.
    if (purse.refill === null) {
      purse.refill = refill(c, key, budget, limit, purse).finally(() => {
        purse.refill = null
      })
      c.executionCtx.waitUntil(purse.refill.catch(() => {}))
    }
    await purse.refill
  }
}

async function refill(
  c: HubContext,
  key: string,
  budget: Budget,
  limit: number,
  purse: Purse,
): Promise<void> {
  const tokens = Math.min(50, Math.max(1, Math.floor(limit / 12)))
  // Counted from before the call, so that tokens never outlive their window however the clocks differ.
  const sentAtMs = Date.now()
  let lease: Lease
  try {
    lease = await c.env.RATE_LIMITER.getByName(key).lease({
      limit,
      windowSeconds: budget.windowSeconds,
      tokens,
    })
  } catch (error) {
    throw unavailable('The rate limiter', error)
  }
  purse.leased = lease.granted
  purse.remaining = lease.remaining
  purse.windowEndsAtMs = sentAtMs + lease.resetMs
}

function openPurse(key: string): Purse {
  const known = purses.get(key)
  if (known) return known
  const nowMs = Date.now()
  if (purses.size >= pursesMax && nowMs >= nextSweepMs) {
    nextSweepMs = nowMs + 1000
    for (const [other, purse] of purses)
      if (purse.windowEndsAtMs <= nowMs && purse.refill === null) purses.delete(other)
  }
  const purse: Purse = { leased: 0, remaining: 0, windowEndsAtMs: 0, refill: null }
  purses.set(key, purse)
  return purse
}
