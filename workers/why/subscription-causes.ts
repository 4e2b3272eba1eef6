import { collateralHealth } from '../../protocol/actions/index.ts'
import type { FoundCause } from '../../protocol/causes.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { amountText } from '../actions/contract-errors.ts'
import type { Token } from '../stores/schema/index.ts'
import { standingOf } from '../stores/subscription-standing.ts'
import type { Subscription } from '../stores/subscriptions.ts'
import { counted, utc } from './project-causes.ts'

/** The causes in the state of a subscription that keep it from work. @param unit - The token of the collateral. @param now - Unix seconds. */
export function subscriptionCauses(
  subscription: Subscription,
  unit: Pick<Token, 'symbol' | 'decimals'>,
  now: number,
): FoundCause[] {
  const { status, collateral, startedAt, releaseAt } = standingOf(subscription, now)
  const { minCollateral, pausedAt, pendingSlashes, reputation, createdAt } = subscription
  const [held, least] = [collateral, minCollateral].map((amount) => amountText(amount, unit))
  const states: Record<typeof status, FoundCause[]> = {
    pending_collateral: [
      {
        code: 'not_bonded',
        message: `No collateral is bonded; the project asks for ${least}.`,
        since: createdAt,
      },
    ],
    active: collateralCauses(collateralHealth(BigInt(collateral), BigInt(minCollateral)), {
      text: `The collateral is ${held}, and the project asks for ${least}`,
      since: startedAt,
    }),
    paused: [{ code: 'paused', message: 'The owner paused the subscription.', since: pausedAt }],
    jailed: [
      {
        code: 'jailed',
        message: `A slash left ${held} of collateral; the project asks for ${least}.`,
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
            message: `The reputation is ${(100 * reputation) / defaultNetworkParams.reputation_max} % of the highest, so the device is drawn less often.`,
          } as const,
        ]
      : []),
  ]
}

function collateralCauses(
  health: ReturnType<typeof collateralHealth>,
  { text, since }: { text: string; since: number | null },
): FoundCause[] {
  switch (health) {
    case 'healthy':
      return []
    case 'warning':
      return [
        {
          code: 'collateral_low',
          message: `${text}: a slash would end the work.`,
          since,
        },
      ]
    case 'critical':
      return [
        {
          code: 'below_min_collateral',
          message: `${text}: committee sets leave it out.`,
          since,
        },
      ]
  }
}

const lastSlashAt = ({ chain }: Subscription): number | null =>
  (chain as { slash_lows?: { at: number }[] } | null)?.slash_lows?.at(-1)?.at ?? null
