/** Reads an action by its id until it is over, also before the hub has it. */
import { Refusal } from '../../../../sdk/errors.ts'
import type { Transaction } from '../hub.ts'

/** What is known of it: what the hub says, or how often in a row it said that it has none. */
export type Followed = Transaction | { readonly missing: number }

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
    // Where the hub had it once, it still has it.
    if (!isMissing || (before !== undefined && !('missing' in before))) throw error
    return { missing: (before?.missing ?? 0) + 1 }
  }
}

export const isUnknown = (read: Followed | undefined): boolean =>
  read !== undefined && 'missing' in read && read.missing >= missingMax

/** Undefined while it is not known to the hub. */
export const arrived = (read: Followed | undefined): Transaction | undefined =>
  read === undefined || 'missing' in read ? undefined : read
