import {
  allowsCall,
  chainState,
  collateralHealth,
  nextReputation,
  resolvePayout,
  statusAfterBond,
  statusAfterSlash,
  statusAt,
} from '../../actions/index.ts'
import { defaultNetworkParams } from '../../identity/index.ts'
import type { Json } from '../format.ts'
import type { TopicRunner } from '../runner.ts'

/** The member that only one kind of case has tells the kinds apart. */
export const runSubscription: TopicRunner = (input) => {
  if (input.events !== undefined) {
    let reputation: number = input.reputation
    const afterEach = input.events.map((event: Json) => {
      reputation = nextReputation(reputation, event, defaultNetworkParams)
      return reputation
    })
    return { after_each: afterEach }
  }
  if (input.payout_address !== undefined) return { payout: resolvePayout(input.owner, input.payout_address) }
  if (input.call !== undefined)
    return {
      status: statusAt(input.standing, input.now),
      on_chain: chainState(input.standing.status),
      ...(allowsCall(input.standing, input.call, input.now) ? { allowed: true } : { error: 'invalid_state' }),
    }
  const [collateral, minCollateral] = [BigInt(input.collateral), BigInt(input.min_collateral)]
  if (input.status === undefined) return { collateral_health: collateralHealth(collateral, minCollateral) }
  return {
    after_bond: statusAfterBond(input.status, collateral, minCollateral),
    after_slash: statusAfterSlash(input.status, collateral, minCollateral),
  }
}
