import {
  type SubscriptionState,
  statusAfterBond,
  statusAfterSlash,
  statusAt,
} from '../../protocol/actions/index.ts'
import type { ChainState, SlashLow } from '../chain/projections.ts'

/** The facts about a subscription from the hub, the chain and the project. */
export interface SubscriptionFacts {
  /** The state that follows from its events; null before the first bond. */
  chain: ChainState | null
  /** How often the chain had closed it when the hub's record began. */
  closings: number
  pausedAt: number | null
  minCollateral: string
}

/** The status of a subscription. Amounts in decimal, times in Unix seconds. */
export interface Standing {
  status: SubscriptionState
  collateral: string
  /** Null stands for the owner. */
  payout: string | null
  startedAt: number | null
  releaseAt: number | null
  slashedTotal: string
}

interface ChainSubscription {
  status: 'bonded' | 'unbonding' | 'closed'
  collateral: string
  payout: string
  started_at: number
  release_at: number | null
  slashed_total?: string
  slash_lows?: SlashLow[]
  closings?: number
}

const unbonded: Standing = {
  status: 'pending_collateral',
  collateral: '0',
  payout: null,
  startedAt: null,
  releaseAt: null,
  slashedTotal: '0',
}

/**
 * The state of a subscription. It is derived each time, and stored nowhere: what the chain takes back in a reorganisation needs no repair.
 * @param now - Unix seconds.
 */
export function standingOf(facts: SubscriptionFacts, now: number): Standing {
  const chain = facts.chain as ChainSubscription | null
  const closings = chain?.closings ?? 0
  if (chain === null || (chain.status === 'closed' && closings <= facts.closings)) return unbonded
  return {
    status: statusOf(chain, facts, now),
    collateral: chain.collateral,
    payout: chain.payout,
    startedAt: chain.started_at,
    releaseAt: chain.release_at,
    slashedTotal: chain.slashed_total ?? '0',
  }
}

function statusOf(chain: ChainSubscription, facts: SubscriptionFacts, now: number): SubscriptionState {
  switch (chain.status) {
    case 'closed':
      return 'closed'
    case 'unbonding':
      return statusAt({ status: 'unbonding', release_at: chain.release_at }, now)
    case 'bonded': {
      const least = BigInt(facts.minCollateral)
      const jails = ({ left }: SlashLow) => statusAfterSlash('active', BigInt(left), least) === 'jailed'
      const jailedAt = chain.slash_lows?.findLast(jails)?.at ?? null
      const leftJail = statusAfterBond('jailed', BigInt(chain.collateral), least) === 'active'
      if (jailedAt !== null && !leftJail) return 'jailed'
      // Leaving jail leads to active, whatever was asked for before going in.
      const paused = facts.pausedAt !== null && (jailedAt === null || facts.pausedAt > jailedAt)
      return paused ? 'paused' : 'active'
    }
  }
}
