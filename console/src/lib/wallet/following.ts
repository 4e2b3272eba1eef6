/** Reads an action by its id until it is over, also before the hub has it. */
import { Refusal } from '../../../../sdk/errors.ts'
import type { Transaction } from '../hub.ts'

/** The state of an action: the record of the hub, or how often in a row the hub answered that it has none. */
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
    // A hub that had the action once still has it.
    if (!isMissing || (before !== undefined && !('missing' in before))) throw error
    return { missing: (before?.missing ?? 0) + 1 }
  }
}

export const isUnknown = (read: Followed | undefined): boolean =>
  read !== undefined && 'missing' in read && read.missing >= missingMax

/** Undefined while it is not known to the hub. */
export const arrived = (read: Followed | undefined): Transaction | undefined =>
  read === undefined || 'missing' in read ? undefined : read
