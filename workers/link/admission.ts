import { ApiError } from '../errors.ts'
import type { DeviceStanding } from '../stores/device-links.ts'

/** Why a node may have no socket, by what the records say of it; null if it may have one. Validators need no device. */
export function refusalOf(nodeId: string, standing: DeviceStanding | null): ApiError | null {
  const refusal = (reason: string, message: string): ApiError =>
    new ApiError('forbidden', message, { details: { reason } })
  if (!standing?.isBound && !standing?.isValidator)
    return refusal(
      'not_bound',
      `${nodeId} is neither bound to a wallet nor an approved validator; POST /v1/devices/bind binds it.`,
    )
  if (standing.isBanned)
    return refusal('banned', `${nodeId} is banned. Its owner can ask the operators for the reason.`)
  if (!standing.isRegistered)
    return refusal('not_registered', `${nodeId} is not registered; POST /v1/nodes/register registers it.`)
  return null
}
