import type { Settings } from '../env.ts'
import type { AccountStanding } from '../stores/accounts.ts'

export const roles = ['miner', 'developer', 'operator'] as const
export type Role = (typeof roles)[number]

/** The roles of a wallet: a miner has a device or a subscription, a developer an active enrollment. */
export function rolesOf(
  address: string,
  { mines, enrolled }: AccountStanding,
  { OPERATOR_ADDRESSES }: Settings,
): Role[] {
  return [
    ...(mines ? (['miner'] as const) : []),
    ...(enrolled ? (['developer'] as const) : []),
    ...(OPERATOR_ADDRESSES.includes(address) ? (['operator'] as const) : []),
  ]
}
