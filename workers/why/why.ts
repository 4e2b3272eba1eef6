import type { FoundCause } from '../../protocol/causes.ts'
import { epochStart } from '../../protocol/committees/index.ts'
import type { FixedParams, ParamsSchedule } from '../../protocol/identity/index.ts'
import { firstEpochStart } from '../committees/first-epoch.ts'
import type { Token } from '../stores/schema/index.ts'
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

interface Surroundings {
  /** Unix seconds. */
  now: number
  params: FixedParams
  paramsSchedule: ParamsSchedule
  /** In what collateral is counted. */
  unit: Pick<Token, 'symbol' | 'decimals'>
  isMember: IsMember
}

/** Everything that keeps a subscription from work or reward. */
export async function causesOf(
  subscription: Subscription,
  facts: SubscriptionFacts,
  { now, unit, ...rules }: Surroundings,
): Promise<FoundCause[]> {
  const { project, device, leases } = facts
  const chainNow = Math.max(now, subscription.chainTime)
  const { status, payout, startedAt } = standingOf(subscription, chainNow)
  const { owner } = subscription
  const own = [...deviceCauses(device, owner, project), ...subscriptionCauses(subscription, unit, chainNow)]
  const isWorking = status === 'active' && startedAt !== null && project !== null && mayBeInSet(own)
  return [
    ...own,
    ...(project === null ? [] : projectCauses(project, now)),
    ...(isWorking ? await placeIn(project, startedAt, { ...facts, ...subscription }, rules) : []),
    ...leaseCauses(leases),
    ...earningCauses(facts, { owner, payout: payout ?? owner }, now, rules.paramsSchedule),
  ]
}

const outOfSets: readonly string[] = ['not_bound', 'banned', 'faulty', 'below_min_collateral']

const mayBeInSet = (found: readonly FoundCause[]): boolean =>
  found.every(({ code }) => !outOfSets.includes(code))

async function placeIn(
  { set, epoch, epochSecs, rounds }: ProjectFacts,
  startedAt: number,
  {
    lastEpoch,
    leasesSince,
    lastProofAt,
  }: Pick<SubscriptionFacts, 'lastEpoch' | 'leasesSince'> & Pick<Subscription, 'lastProofAt'>,
  { params, isMember }: Pick<Surroundings, 'params' | 'isMember'>,
): Promise<FoundCause[]> {
  const worksFrom = firstEpochStart(startedAt, epochSecs, params)
  const start = epochStart(epoch, epochSecs)
  const isTooEarly = worksFrom > start
  if (!isTooEarly && (set === null || set.attestedAt === null)) return []
  const isDrawn = lastEpoch === epoch
  // Work that was credited in this epoch may be of a round of the one before it.
  const isCredited = lastProofAt !== null && lastProofAt >= start
  const isKnown = isDrawn || !isCredited || leasesSince === null || leasesSince < start
  return membershipCauses({
    ...{
      entries: set?.entries ?? 0,
      startedAt,
      worksFrom,
      epoch,
      epochSecs,
      rounds,
      isDrawn: isKnown ? isDrawn : null,
    },
    isMember: !isTooEarly && (isDrawn || (set !== null && (await isMember(set)))),
  })
}
