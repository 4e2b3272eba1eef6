import type { DeviceStatus } from '../../../protocol/identity/index.ts'
import type { Device } from '../../stores/devices.ts'
import { heartbeatSeconds } from '../nodes/heartbeat.ts'

/** Silence after which a device counts as offline. */
export const silenceSecondsMax = 3 * heartbeatSeconds

/**
 * What a device is doing: `banned` by an operator, else `offline` when it was not heard lately, else what it said of
 * itself in its last heartbeat.
 */
export function deviceStatus(node: Device['node'], now: number): DeviceStatus {
  if (node?.status === 'revoked') return 'banned'
  const heardAt = node?.lastHeartbeatAt ?? null
  if (heardAt === null || now - heardAt > silenceSecondsMax) return 'offline'
  return node?.health ?? 'online'
}
