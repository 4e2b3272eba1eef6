import type { HubContext, RateLimitReport } from '../context.ts'
import { retrySeconds, unavailable } from '../errors.ts'

export interface Charge {
  /** Names the Durable Object that holds the budget: `<budget>:<subject>`. */
  key: string
  limit: number
  windowSeconds: number
  amount: number
}

interface Allowance {
  left: number
  spent: number
  remaining: number
  /** Names the window, as the limiter does. */
  window: number
  windowEndsAtMs: number
  refill: Promise<void> | null
}

/** By budget and subject, in the order in which they were first taken. */
const allowances = new Map<string, Allowance>()
/** The window in which a request paid from each budget. */
const paidIn = new WeakMap<HubContext, Map<string, number>>()
/** An isolate holds tokens of no more subjects than this, however many addresses and keys call. */
const subjectsMax = 10_000

/** The outcome of a payment, with the budget that refused it, or the one with the least left. */
export interface Payment {
  refused: boolean
  report: RateLimitReport
}

/** Pays all charges, or none when one is more than is left in its window. @throws ApiError 503 `unavailable` without the limiter. */
export async function pay(c: HubContext, charges: readonly Charge[]): Promise<Payment> {
  const held = charges.map((charge) => ({ charge, tokens: tokensOf(charge.key) }))
  while (true) {
    const nowMs = Date.now()
    if (held.every((one) => canPay(one, nowMs))) return { refused: false, report: takeFrom(c, held, nowMs) }
    const refusing = held.find((one) => cannotPay(one, nowMs))
    if (refusing) return { refused: true, report: reportOf(refusing, nowMs) }
    await Promise.all(held.filter((one) => !canPay(one, nowMs)).map((one) => refilled(c, one)))
  }
}

/** @returns The report of the budget with the least left. */
function takeFrom(c: HubContext, held: readonly Held[], nowMs: number): RateLimitReport {
  const windows = paidIn.get(c) ?? new Map<string, number>()
  paidIn.set(c, windows)
  for (const { charge, tokens } of held) {
    windows.set(charge.key, tokens.window)
    tokens.left -= charge.amount
    tokens.spent += charge.amount
  }
  const reports = held.map((one) => reportOf(one, nowMs))
  return reports.reduce((a, b) => (b.remaining <= a.remaining ? b : a))
}

/** Gives back what a request has paid. In a later window it is worth nothing, and none is made. */
export function giveBack(c: HubContext, { key, amount }: Charge): void {
  const tokens = allowances.get(key)
  if (tokens === undefined || tokens.window !== paidIn.get(c)?.get(key)) return
  if (tokens.windowEndsAtMs <= Date.now() || tokens.spent < amount) return
  tokens.spent -= amount
  tokens.left += amount
}

interface Held {
  charge: Charge
  tokens: Allowance
}

const isCurrent = ({ tokens }: Held, nowMs: number): boolean => tokens.windowEndsAtMs > nowMs

const canPay = (held: Held, nowMs: number): boolean =>
  isCurrent(held, nowMs) && held.tokens.left >= held.charge.amount

/** Tokens that nobody has taken only become fewer within a window, so a charge that fails this check fails until the window ends. */
const cannotPay = (held: Held, nowMs: number): boolean =>
  isCurrent(held, nowMs) && held.tokens.left + held.tokens.remaining < held.charge.amount

/** In requests like this one: of a budget that does not count requests, how many as large as it. */
function reportOf({ charge: { limit, amount }, tokens }: Held, nowMs: number): RateLimitReport {
  return {
    limit: Math.floor(limit / amount),
    remaining: Math.floor((tokens.left + tokens.remaining) / amount),
    resetSeconds: Math.max(1, Math.ceil((tokens.windowEndsAtMs - nowMs) / 1000)),
  }
}

/** One call of the limiter at a time, for which other requests wait. waitUntil keeps it alive should its request be cancelled. */
async function refilled(c: HubContext, held: Held): Promise<void> {
  const { charge, tokens } = held
  if (tokens.refill === null) {
    tokens.refill = refill(c, held).finally(() => {
      tokens.refill = null
    })
    c.executionCtx.waitUntil(tokens.refill.catch(() => {}))
  }
  await tokens.refill.catch((error) => {
    // Every answer says what is left; of a limiter that does not answer, nothing is known to be.
    c.var.rateLimit = { limit: charge.limit, remaining: 0, resetSeconds: retrySeconds }
    throw error
  })
}

async function refill(c: HubContext, { charge, tokens }: Held): Promise<void> {
  const { key, limit, windowSeconds, amount } = charge
  const block = Math.min(50, Math.max(1, Math.floor(limit / 12)))
  // Counted from before the call, so that tokens never outlive their window however the clocks differ.
  const sentAtMs = Date.now()
  const limiter = c.env.RATE_LIMITER.getByName(key)
  const taken = await limiter
    .take({ limit, windowSeconds, tokens: Math.max(block, amount) })
    .catch((error: unknown) => {
      throw unavailable('The rate limiter', error)
    })
  if (taken.window !== tokens.window) {
    tokens.window = taken.window
    tokens.left = 0
    tokens.spent = 0
  }
  tokens.left += taken.granted
  tokens.remaining = taken.remaining
  tokens.windowEndsAtMs = sentAtMs + taken.resetMs
}

function tokensOf(key: string): Allowance {
  const known = allowances.get(key)
  if (known) return known
  if (allowances.size >= subjectsMax) makeRoom()
  const tokens: Allowance = { left: 0, spent: 0, remaining: 0, window: 0, windowEndsAtMs: 0, refill: null }
  allowances.set(key, tokens)
  return tokens
}

/** Drops the tokens taken first. They are lost to their subject until the window ends; the limit still holds. */
function makeRoom(): void {
  for (const [key, tokens] of allowances) {
    if (tokens.refill === null) allowances.delete(key)
    if (allowances.size < (subjectsMax * 9) / 10) return
  }
}

/** Forgets all tokens, as a new isolate has none. For tests, whose files share an isolate. */
export const forgetAllowances = (): void => allowances.clear()
