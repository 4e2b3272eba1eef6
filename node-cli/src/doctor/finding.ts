/** The result of a check. */
export interface Finding {
  /** The name of the check, in one word. */
  readonly check: string
  /** `skipped`: something that the check needs is missing, as another finding or the message says. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly message: string
  /** How to fix it; null if nothing is wrong. */
  readonly mend: string | null
}

type Found = Omit<Finding, 'check'>

export const ok = (message: string): Found => ({ status: 'ok', message, mend: null })
export const warning = (message: string, mend: string): Found => ({ status: 'warning', message, mend })
export const failed = (message: string, mend: string): Found => ({ status: 'failed', message, mend })
export const skipped = (message: string): Found => ({ status: 'skipped', message, mend: null })

/** One check. An error that it throws becomes a failed finding with the message of the error. */
export type Check = () => Found | Promise<Found>
