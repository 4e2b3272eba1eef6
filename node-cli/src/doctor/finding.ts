/** What a check found. */
export interface Finding {
  /** What was looked at, in one word. */
  readonly check: string
  /** `skipped`: what it needs is not there, as another finding or the message says. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly message: string
  /** What to do; null where nothing is wrong. */
  readonly mend: string | null
}

type Found = Omit<Finding, 'check'>

export const ok = (message: string): Found => ({ status: 'ok', message, mend: null })
export const warning = (message: string, mend: string): Found => ({ status: 'warning', message, mend })
export const failed = (message: string, mend: string): Found => ({ status: 'failed', message, mend })
export const skipped = (message: string): Found => ({ status: 'skipped', message, mend: null })

/** Looks at one thing. What it throws is a failure, in its own words. */
export type Check = () => Found | Promise<Found>
