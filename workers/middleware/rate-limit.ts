import type { Lease } from '../../durable-objects/rate-limiter.ts'
import type { Principal } from '../auth/principal.ts'
import type { HubContext, RateLimitReport } from '../context.ts'
import { ApiError, retrySeconds, unavailable } from '../errors.ts'
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
  // Browsers ask before most calls; a page must not use up what its calls are paid from.
  preflight: { limit: 6000, windowSeconds: 60, per: 'address' },
  // What the database does not have, the relayer is asked for.
  unknown_transaction: { limit: 60, windowSeconds: 60, per: 'address' },
  sign_in: { limit: 30, windowSeconds: 60, per: 'address' },
  faucet: { limit: 10, windowSeconds: 60, per: 'caller' },
  asset_upload: { limit: 120, windowSeconds: 3600, per: 'caller' },
  module_upload: { limit: 60, windowSeconds: 3600, per: 'caller' },
} as const satisfies Record<string, Budget>

export type BudgetName = keyof typeof extra

/** Tokens this isolate holds for one budget of one subject. */
interface LeasedTokens {
  left: number
  /** Tokens of this window that this isolate has spent. */
  spent: number
  remaining: number
  windowEndsAtMs: number
  refill: Promise<void> | null
}

/** By budget and subject, in the order in which they were first leased. */
const leasedTokens = new Map<string, LeasedTokens>()
/** An isolate holds tokens of no more subjects than this, however many addresses and keys call. */
const subjectsMax = 10_000

/**
 * Spends one token of every budget the request falls under, and notes what the RateLimit headers will say: the budget
 * that is nearest to its end.
 *
 * @throws {@link ApiError} 429 `rate_limited` when one of them has run out.
 */
export async function spendRateLimit(c: HubContext, principal: Principal | null, extraBudget?: BudgetName) {
  const address = addressOf(c)
  const { kind, caller } = payerOf(principal, address)
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
  report(c, await spend(c, name, extra[name], addressOf(c)))
}

/** Gives back a token that {@link spendAddressBudget} took. */
export function refundAddressBudget(c: HubContext, name: BudgetName): void {
  const tokens = leasedTokens.get(`${name}:${addressOf(c)}`)
  // In a later window the token is worth nothing, and none is made.
  if (tokens && tokens.windowEndsAtMs > Date.now() && tokens.spent > 0) {
    tokens.spent -= 1
    tokens.left += 1
  }
}

const addressOf = (c: HubContext): string => clientSubject(c.req.header('cf-connecting-ip'))

function report(c: HubContext, { refused, ...shown }: RateLimitReport & { refused: boolean }): void {
  c.var.rateLimit = shown
  if (refused)
    throw new ApiError('rate_limited', `Too many requests. Try again in ${shown.resetSeconds} s.`, {
      headers: { 'Retry-After': String(shown.resetSeconds) },
    })
}

/** Whose budget a request is paid from, named without any secret: names of budgets appear in logs. */
function payerOf(
  principal: Principal | null,
  address: string,
): { kind: keyof typeof general; caller: string } {
  switch (principal?.kind) {
    case 'session':
      return { kind: 'session', caller: principal.address }
    case 'api_key':
      return { kind: 'api_key', caller: principal.keyId }
    case 'node':
      return { kind: 'node', caller: principal.publicKey }
    default:
      return { kind: 'anonymous', caller: address }
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
  const tokens = tokensOf(key)

  while (true) {
    const nowMs = Date.now()
    const current = tokens.windowEndsAtMs > nowMs
    if (current && (tokens.left > 0 || tokens.remaining === 0)) {
      const refused = tokens.left === 0
      if (!refused) {
        tokens.left -= 1
        tokens.spent += 1
      }
      return {
        limit,
        remaining: tokens.left + tokens.remaining,
        resetSeconds: Math.max(1, Math.ceil((tokens.windowEndsAtMs - nowMs) / 1000)),
        refused,
      }
    }
    // One lease at a time: requests that arrive meanwhile wait for it instead of taking blocks of their own.
    // waitUntil keeps it alive should the request that began it be cancelled.
    if (tokens.refill === null) {
      tokens.refill = refill(c, key, budget, limit, tokens).finally(() => {
        tokens.refill = null
      })
      c.executionCtx.waitUntil(tokens.refill.catch(() => {}))
    }
    await tokens.refill.catch((error) => {
      // Every answer says what is left; of a limiter that does not answer, nothing is known to be.
      c.var.rateLimit = { limit, remaining: 0, resetSeconds: retrySeconds }
      throw error
    })
  }
}

async function refill(
  c: HubContext,
  key: string,
  budget: Budget,
  limit: number,
  tokens: LeasedTokens,
): Promise<void> {
  const wanted = Math.min(50, Math.max(1, Math.floor(limit / 12)))
  // Counted from before the call, so that tokens never outlive their window however the clocks differ.
  const sentAtMs = Date.now()
  let lease: Lease
  try {
    lease = await c.env.RATE_LIMITER.getByName(key).lease({
      limit,
      windowSeconds: budget.windowSeconds,
      tokens: wanted,
    })
  } catch (error) {
    throw unavailable('The rate limiter', error)
  }
  const endsAtMs = sentAtMs + lease.resetMs
  if (tokens.windowEndsAtMs <= sentAtMs) tokens.spent = 0
  tokens.left = lease.granted
  tokens.remaining = lease.remaining
  tokens.windowEndsAtMs = endsAtMs
}

function tokensOf(key: string): LeasedTokens {
  const known = leasedTokens.get(key)
  if (known) return known
  if (leasedTokens.size >= subjectsMax) makeRoom()
  const tokens: LeasedTokens = { left: 0, spent: 0, remaining: 0, windowEndsAtMs: 0, refill: null }
  leasedTokens.set(key, tokens)
  return tokens
}

/** Drops the tokens leased first. They are lost to their subject until the window ends; the limit still holds. */
function makeRoom(): void {
  for (const [key, tokens] of leasedTokens) {
    if (tokens.refill === null) leasedTokens.delete(key)
    if (leasedTokens.size < (subjectsMax * 9) / 10) return
  }
}
