import { collateralHealth } from '../../protocol/actions/index.ts'
import type { FoundCause } from '../../protocol/causes.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { standingOf } from '../stores/subscription-standing.ts'
import type { Subscription } from '../stores/subscriptions.ts'
import { counted, utc } from './project-causes.ts'

/** What the state of a subscription keeps from work. @param now - Unix seconds. */
export function subscriptionCauses(subscription: Subscription, now: number): FoundCause[] {
  const { status, collateral, startedAt, releaseAt } = standingOf(subscription, now)
  const { minCollateral, pausedAt, pendingSlashes, reputation, createdAt } = subscription
  const states: Record<typeof status, FoundCause[]> = {
    pending_collateral: [
      {
        code: 'not_bonded',
        message: `No collateral is bonded; the project asks for ${minCollateral}.`,
        since: createdAt,
      },
    ],
    active: collateralCauses(collateral, minCollateral, startedAt),
    paused: [{ code: 'paused', message: 'The owner paused the subscription.', since: pausedAt }],
    jailed: [
      {
        code: 'jailed',
        message: `A slash left ${collateral} of collateral; the project asks for ${minCollateral}.`,
        since: lastSlashAt(subscription),
      },
    ],
    unbonding: [
      {
        code: 'unbonding',
        message: `The collateral is being unbonded${releaseAt === null ? '' : `, until ${utc(releaseAt)}`}.`,
      },
    ],
    withdrawable: [
      {
        code: 'unbonded',
        message: 'The unbonding is over: the collateral can be withdrawn.',
        since: releaseAt,
      },
    ],
    closed: [{ code: 'closed', message: 'The collateral was withdrawn, so the subscription is closed.' }],
  }
  return [
    ...states[status],
    ...(pendingSlashes > 0
      ? [
          {
            code: 'slash_open',
            message: `${counted(pendingSlashes, 'slash').replace(/hs$/, 'hes')} may still take collateral.`,
          } as const,
        ]
      : []),
    ...(reputation < defaultNetworkParams.reputation_initial
      ? [
          {
            code: 'reputation_low',
            message: `The reputation is ${reputation} of ${defaultNetworkParams.reputation_max}, so the device is drawn less often.`,
          } as const,
        ]
      : []),
  ]
}

function collateralCauses(collateral: string, least: string, since: number | null): FoundCause[] {
  switch (collateralHealth(BigInt(collateral), BigInt(least))) {
    case 'healthy':
      return []
    case 'warning':
      return [
        {
          code: 'collateral_low',
          message: `The collateral is ${collateral}, and the project asks for ${least}: a slash would end the work.`,
          since,
        },
      ]
    case 'critical':
      return [
        {
          code: 'below_min_collateral',
          message: `The collateral is ${collateral}, and the project asks for ${least}: committee sets leave it out.`,
          since,
        },
      ]
  }
}

const lastSlashAt = ({ chain }: Subscription): number | null =>
  (chain as { slash_lows?: { at: number }[] } | null)?.slash_lows?.at(-1)?.at ?? null
