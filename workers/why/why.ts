import type { FoundCause } from '../../protocol/causes.ts'
import { epochStart } from '../../protocol/committees/index.ts'
import type { NetworkParams } from '../../protocol/identity/index.ts'
import { firstEpochStart } from '../committees/first-epoch.ts'
import { standingOf } from '../stores/subscription-standing.ts'
import type { Subscription } from '../stores/subscriptions.ts'
import type { ProjectFacts, SubscriptionFacts } from '../stores/why-facts.ts'
import { deviceCauses } from './device-causes.ts'
import { earningCauses } from './earning-causes.ts'
import { projectCauses } from './project-causes.ts'
import { subscriptionCauses } from './subscription-causes.ts'
import { leaseCauses, membershipCauses } from './work-causes.ts'

/** Whether the attested set of the epoch has the subscription, where that is the question. */
export type IsMember = (set: NonNullable<ProjectFacts['set']>) => Promise<boolean>

/** Everything that keeps a subscription from work or reward. @param now - Unix seconds. */
export async function causesOf(
  subscription: Subscription,
  facts: SubscriptionFacts,
  { now, params, isMember }: { now: number; params: NetworkParams; isMember: IsMember },
): Promise<FoundCause[]> {
  const { project, device, leases } = facts
  const chainNow = Math.max(now, subscription.chainTime)
  const { status, payout, startedAt } = standingOf(subscription, chainNow)
  const { owner } = subscription
  const own = [...deviceCauses(device, owner, project), ...subscriptionCauses(subscription, chainNow)]
  const isWorking = status === 'active' && startedAt !== null && project !== null && mayBeInSet(own)
  return [
    ...own,
    ...(project === null ? [] : projectCauses(project, now)),
    ...(isWorking ? await placeIn(project, startedAt, facts.lastEpoch, { params, isMember }) : []),
    ...leaseCauses(leases),
    ...earningCauses(facts, { owner, payout: payout ?? owner }, now),
  ]
}

const outOfSets: readonly string[] = ['not_bound', 'banned', 'faulty', 'below_min_collateral']

const mayBeInSet = (found: readonly FoundCause[]): boolean =>
  found.every(({ code }) => !outOfSets.includes(code))

async function placeIn(
  { set, epoch, epochSecs, rounds }: ProjectFacts,
  startedAt: number,
  lastEpoch: number | null,
  { params, isMember }: { params: NetworkParams; isMember: IsMember },
): Promise<FoundCause[]> {
  const worksFrom = firstEpochStart(startedAt, epochSecs, params)
  const isTooEarly = worksFrom > epochStart(epoch, epochSecs)
  if (!isTooEarly && (set === null || set.attestedAt === null)) return []
  const isDrawn = lastEpoch === epoch
  return membershipCauses({
    ...{ entries: set?.entries ?? 0, startedAt, worksFrom, epoch, epochSecs, rounds, isDrawn },
    isMember: !isTooEarly && (isDrawn || (set !== null && (await isMember(set)))),
  })
}
