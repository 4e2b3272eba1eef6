import type { Settings } from '../env.ts'
import type { AccountCounts } from '../stores/accounts.ts'

export const roles = ['miner', 'developer', 'operator'] as const
export type Role = (typeof roles)[number]

/** What a wallet is here: a miner has a device or a subscription, a developer an active enrollment. */
export function rolesOf(
  address: string,
  { devices, subscriptions, enrolled }: AccountCounts,
  { OPERATOR_ADDRESSES }: Settings,
): Role[] {
  return [
    ...(devices + subscriptions > 0 ? (['miner'] as const) : []),
    ...(enrolled ? (['developer'] as const) : []),
    ...(OPERATOR_ADDRESSES.includes(address) ? (['operator'] as const) : []),
  ]
}
