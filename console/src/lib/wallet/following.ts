/** Reads an action by its id until it is over, also before the hub has it. */
import { Refusal } from '../../../../sdk/errors.ts'
import type { Transaction } from '../hub.ts'

/** The state of an action: the record of the hub, or how often in a row the hub answered that it has none. */
export type Followed = Transaction | { readonly missing: number }

/** How an action ended, as far as the page knows; null while it is asked for. */
export type Ending = 'indexed' | 'failed' | 'unknown' | null

/** A hub that is slow, or a copy of its database, learns of it later than the first question. */
const missingMax = 5

export async function follow(
  read: () => Promise<Transaction>,
  before: Followed | undefined,
): Promise<Followed> {
  try {
    return await read()
  } catch (error) {
    const isMissing = error instanceof Refusal && error.status === 404
    // A hub that had the action once still has it.
    if (!isMissing || (before !== undefined && !('missing' in before))) throw error
    return { missing: (before?.missing ?? 0) + 1 }
  }
}

export const isUnknown = (read: Followed | undefined): boolean =>
  read !== undefined && 'missing' in read && read.missing >= missingMax

const soonMs = 1_000
/** After an error, and while the hub has no such action. */
const laterMs = 3_000
/** Of an action that has waited for longer than it usually takes. */
const slowMs = 10_000
const usualMs = 60_000

export const isOver = (read: Transaction | undefined): boolean =>
  read !== undefined && (read.indexed || ['reverted', 'failed'].includes(read.status))

/**
 * How often an action is read again by itself: not once it is over, or unknown.
 *
 * @param waitedMs since somebody asked for it.
 */
export function followMs(read: Followed | undefined, hasFailed: boolean, waitedMs: number): number | false {
  if (isUnknown(read) || isOver(arrived(read))) return false
  if (waitedMs >= usualMs) return slowMs
  return hasFailed || (read !== undefined && 'missing' in read) ? laterMs : soonMs
}

/** Undefined while it is not known to the hub. */
export const arrived = (read: Followed | undefined): Transaction | undefined =>
  read === undefined || 'missing' in read ? undefined : read
