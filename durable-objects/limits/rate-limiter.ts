import { DurableObject } from 'cloudflare:workers'

export interface AllowanceRequest {
  /** Tokens of one window. */
  limit: number
  windowSeconds: number
  /** Tokens wanted; fewer are granted when fewer are left. */
  tokens: number
}

export interface Allowance {
  granted: number
  /** Tokens that nobody has taken yet. */
  remaining: number
  /** Milliseconds until the window ends; a duration, for the clocks of two machines differ. */
  resetMs: number
  /** Names the window: allowances of one window have the same. */
  window: number
}

interface Tokens {
  windowEndsAtMs: number
  used: number
}

/**
 * Holds the tokens of one budget of one subject: `env.RATE_LIMITER.getByName('<budget>:<subject>')`. A window begins with the first call
 * after the last one ended. Invariant: within a window no more than `limit` tokens are granted, to all isolates together. The count is stored
 * before it is granted, and a token that was taken counts as used, whatever becomes of its isolate.
 */
export class RateLimiter extends DurableObject {
  async take({ limit, windowSeconds, tokens }: AllowanceRequest): Promise<Allowance> {
    const nowMs = Date.now()
    const windowMs = windowSeconds * 1000
    const stored = this.#read()
    const current = stored !== undefined && stored.windowEndsAtMs > nowMs
    const windowEndsAtMs = current ? stored.windowEndsAtMs : nowMs + windowMs
    const used = current ? stored.used : 0

    const granted = Math.max(0, Math.min(tokens, limit - used))
    if (granted > 0) this.#write({ windowEndsAtMs, used: used + granted })
    if (!current) await this.ctx.storage.setAlarm(windowEndsAtMs)
    return {
      granted,
      remaining: Math.max(0, limit - used - granted),
      resetMs: windowEndsAtMs - nowMs,
      window: windowEndsAtMs,
    }
  }

  /** Removes what an ended window left behind, so that a subject seen once costs no storage for ever. */
  override async alarm(): Promise<void> {
    const stored = this.#read()
    if (stored && stored.windowEndsAtMs > Date.now()) return this.ctx.storage.setAlarm(stored.windowEndsAtMs)
    await this.ctx.storage.deleteAll()
  }

  #read(): Tokens | undefined {
    return this.ctx.storage.kv.get<Tokens>('tokens')
  }

  #write(tokens: Tokens): void {
    this.ctx.storage.kv.put('tokens', tokens)
  }
}
