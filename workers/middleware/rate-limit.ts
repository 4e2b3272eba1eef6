import { addressSubject } from '../../protocol/encoding/index.ts'
import { callerIdOf, type Principal } from '../auth/principal.ts'
import type { HubContext, RateLimitReport } from '../context.ts'
import { ApiError, isRefusal } from '../errors.ts'
import { type Charge, giveBack, pay } from './allowances.ts'
import { type Budget, type BudgetName, budgets, type ExtraBudget, type Stored } from './budgets.ts'

/**
 * Pays for one request from every budget it falls under; the RateLimit headers will show the one that is nearest to its end.
 * @throws {@link ApiError} 429 `rate_limited` when one of them has run out; the others are left as they were.
 */
export async function spendRateLimit(
  c: HubContext,
  principal: Principal | null,
  extraBudget?: ExtraBudget,
): Promise<void> {
  // A node that nothing vouches for pays as anybody at its address.
  const isKnown = principal !== null && (principal.kind !== 'node' || principal.vouched)
  const kind = isKnown ? principal.kind : 'anonymous'
  const caller = isKnown ? callerIdOf(principal) : null
  const names: BudgetName[] = extraBudget ? [kind, extraBudget] : [kind]
  const charges = names.flatMap((name) => chargesOf(c, name, caller))
  await spend(c, charges)
}

/** Spends a budget that is the client address's alone, before anything else is done for the request. */
export const spendAddressBudget = (
  c: HubContext,
  name:
    | 'preflight'
    | 'unproven'
    | 'unknown_transaction'
    | 'beacon_search'
    | 'chain_calls'
    | 'large_draw'
    | 'public_tasks',
  amount = 1,
): Promise<void> => spend(c, chargesOf(c, name, null, amount))

/** Gives back what {@link spendAddressBudget} took. */
export function refundAddressBudget(c: HubContext, name: 'unproven'): void {
  for (const charge of chargesOf(c, name, null)) giveBack(c, charge)
}

/** Pays for relayed actions, by owner and client address. @throws {@link ApiError} 429 `rate_limited` when one has had enough for the day. */
export const spendRelay = (c: HubContext, owner: string, actions = 1): Promise<void> =>
  spendOfDay(
    c,
    chargesOf(c, 'relay', owner, actions),
    'The daily relay limit of one wallet or one client address',
  )

export function refundRelay(c: HubContext, owner: string, actions = 1): void {
  for (const charge of chargesOf(c, 'relay', owner, actions)) giveBack(c, charge)
}

/**
 * Pays for what a request leaves behind, by the size of its body. A refused one leaves nothing, and gets it back.
 * @throws {@link ApiError} 429 `rate_limited` when its wallet or client address has had enough for the day; what `store` throws.
 */
export async function payForStorage<T>(
  c: HubContext,
  stored: Stored,
  store: () => Promise<T> | T,
): Promise<T> {
  const kib = Math.max(1, Math.ceil(c.var.bodyLength / 1024))
  const charges = chargesOf(c, `stored_${stored}`, c.var.holder, kib)
  await spendOfDay(c, charges, 'The daily storage limit of one wallet or one client address')
  try {
    return await store()
  } catch (error) {
    if (isRefusal(error)) for (const charge of charges) giveBack(c, charge)
    throw error
  }
}

export interface DirectUse {
  gas: number
  bytes: number
}

/** Output and events have a mebibyte each, at most. */
const answerKibMax = 2 * 1024
/** As long as a caller waits. */
const directSecondsMax = 30

/**
 * Pays for the most that a direct round may use; what it did not use is given back.
 * @throws {@link ApiError} 429 `rate_limited` when one client address, or all together, have used too much; what `run` throws.
 */
export async function payForDirectRound<T>(
  c: HubContext,
  gasLimit: number,
  run: () => Promise<{ result: T; use: DirectUse }>,
  /** How many rounds `run` runs at once. Together they take at most the seconds that an address has in a minute. */
  rounds = 1,
): Promise<T> {
  const secondsMax = Math.min(rounds * directSecondsMax, budgets.execute_seconds.address)
  const inputKib = Math.max(1, Math.ceil(c.var.bodyLength / 1024))
  const most = { gas: gasLimit, kib: inputKib + answerKibMax, seconds: secondsMax }
  const charges = (of: typeof most) => [
    ...chargesOf(c, 'execute_gas', null, of.gas),
    ...chargesOf(c, 'execute_kib', null, of.kib),
    ...chargesOf(c, 'execute_seconds', null, of.seconds),
  ]
  await spendOfDay(c, charges(most), 'The limit of direct rounds per minute')
  const startedAtMs = Date.now()
  const seconds = () => Math.min(secondsMax, rounds * Math.ceil((Date.now() - startedAtMs) / 1000))
  let used = { ...most, kib: inputKib }
  try {
    const { result, use } = await run()
    used = { ...used, gas: use.gas, kib: Math.min(most.kib, inputKib + Math.ceil(use.bytes / 1024)) }
    return result
  } finally {
    const left = { gas: most.gas - used.gas, kib: most.kib - used.kib, seconds: most.seconds - seconds() }
    for (const charge of charges(left)) giveBack(c, charge)
  }
}

/** Spends budgets that the headers of an answer are about only when they have run out. */
async function spendOfDay(c: HubContext, charges: readonly Charge[], what: string): Promise<void> {
  const { refused, report } = await pay(c, charges)
  if (!refused) return
  c.var.rateLimit = report
  throw tooMany(`${what} is used up.`, report)
}

async function spend(c: HubContext, charges: readonly Charge[]): Promise<void> {
  const { refused, report } = await pay(c, charges)
  c.var.rateLimit = report
  if (refused) throw tooMany('Too many requests.', report)
}

const tooMany = (reason: string, { resetSeconds }: RateLimitReport): ApiError =>
  new ApiError('rate_limited', `${reason} Try again in ${resetSeconds} s.`, {
    headers: { 'Retry-After': String(resetSeconds) },
  })

/** The caller's own part of a budget, the part that all callers of its address share, and that of everybody. */
function chargesOf(c: HubContext, name: BudgetName, caller: string | null, amount = 1): Charge[] {
  const budget: Budget = budgets[name]
  const charge = (subject: string, limit: number): Charge => ({
    key: `${name}:${subject}`,
    limit: limit * c.var.settings.RATE_LIMIT_MULTIPLIER,
    windowSeconds: budget.windowSeconds,
    amount,
  })
  return [
    ...(budget.caller !== undefined && caller !== null ? [charge(caller, budget.caller)] : []),
    ...(budget.address !== undefined
      ? [charge(addressSubject(c.req.header('cf-connecting-ip')), budget.address)]
      : []),
    ...(budget.total !== undefined ? [charge('everybody', budget.total)] : []),
  ]
}
