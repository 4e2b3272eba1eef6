import type { DeviceStatus } from '../../../protocol/identity/index.ts'
import type { Device } from '../../stores/devices.ts'

/** Why a device is `faulty` or `banned`. */
export const statusReasons = [
  'banned',
  'node_revoked',
  'invalid_votes',
  'benchmark_receipts',
  'reported_by_node',
] as const

export type StatusReason = (typeof statusReasons)[number]

type Facts = Pick<Device, 'bannedAt' | 'voteFaultAt' | 'benchmarkFaultAt' | 'linkState'> & {
  node: Pick<NonNullable<Device['node']>, 'status' | 'health'> | null
}

/** `banned` by an operator, else `faulty` if a fault is recorded, else the state of its link. */
export function deviceStatus(device: Facts): DeviceStatus {
  const reason = statusReason(device)
  if (reason === null) return device.linkState
  return reason === 'banned' || reason === 'node_revoked' ? 'banned' : 'faulty'
}

/** The first of the reasons; null for a device that may work. */
export function statusReason({ node, bannedAt, voteFaultAt, benchmarkFaultAt }: Facts): StatusReason | null {
  if (bannedAt !== null) return 'banned'
  if (node?.status === 'revoked') return 'node_revoked'
  if (voteFaultAt !== null) return 'invalid_votes'
  if (benchmarkFaultAt !== null) return 'benchmark_receipts'
  return node?.health === 'faulty' ? 'reported_by_node' : null
}
