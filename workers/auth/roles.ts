import type { Settings } from '../env.ts'

export const roles = ['miner', 'developer', 'operator'] as const
export type Role = (typeof roles)[number]

/** What a wallet is here. */
export const rolesOf = (address: string, { OPERATOR_ADDRESSES }: Settings): Role[] =>
  OPERATOR_ADDRESSES.includes(address) ? ['operator'] : []
