import type { ChainSlash, Slash } from '../stores/slashes.ts'
import { standingOf } from '../stores/subscription-standing.ts'

/** The time that the contracts add to `executable_at` before a slash can be executed: disputes sent in time still arrive. */
export const disputeGraceSecs = 15 * 60

/** How long the contracts leave an arbiter to decide about a dispute. */
export const decisionSecs = 14 * 86_400

/** How long the contracts leave everybody to execute a slash, from the end of its window or of the time to decide on. */
export const executionSecs = 7 * 86_400

/** The ways in which the owner can react to a slash: each has a page in docs/recovery. */
export const recoveries = ['dispute', 'wait', 'top_up', 'none'] as const
export type Recovery = (typeof recoveries)[number]

export interface Dispute {
  reason: string
  links: readonly string[]
  filedAt: number
  outcome: 'cancelled' | 'upheld' | null
  resolvedAt: number | null
}

/** The dispute about a slash, filed with the hub, or by the owner's own transaction, which has no reason; or null. */
export function disputeOf(slash: Slash): Dispute | null {
  const { chain } = slash
  const filedAt = slash.disputeFiledAt ?? chain?.disputed_at
  if (filedAt === undefined) return null
  return {
    reason: slash.disputeReason ?? '',
    links: slash.disputeLinks ?? [],
    filedAt,
    ...resolutionOf(slash, chain),
  }
}

/** An operator decides alone about a dispute that came too late for the chain. */
function resolutionOf(
  { decision, decidedAt, status }: Slash,
  chain: ChainSlash | null,
): Pick<Dispute, 'outcome' | 'resolvedAt'> {
  if (chain?.outcome !== undefined) return { outcome: chain.outcome, resolvedAt: chain.resolved_at ?? null }
  if (decision === 'uphold' && status !== 'disputed') return { outcome: 'upheld', resolvedAt: decidedAt }
  return { outcome: null, resolvedAt: null }
}

export const isDisputable = (slash: Slash, now: number): boolean =>
  slash.status === 'proposed' &&
  disputeOf(slash) === null &&
  slash.chain !== null &&
  now < slash.chain.executable_at

/** Null if nothing was taken and nothing will be. @param now - Unix seconds. */
export function recoveryOf(slash: Slash, now: number): Recovery | null {
  switch (slash.status) {
    case 'cancelled':
      return null
    case 'recorded':
    case 'disputed':
      return 'wait'
    case 'proposed':
      return isDisputable(slash, now) ? 'dispute' : 'wait'
    case 'executed':
      return slash.subscription && standingOf(slash.subscription, now).status === 'jailed' ? 'top_up' : 'none'
  }
}
