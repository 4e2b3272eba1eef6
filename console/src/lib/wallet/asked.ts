import { deriveNodeId, type Profile } from '../../../../protocol/identity/index.ts'

/** Whether a signed value is the requested one. For a device's key, the request names the id of the device. */
export const isAsAsked = (
  profile: Profile,
  name: string,
  signed: string,
  asked: string | undefined,
): boolean =>
  asked !== undefined &&
  (name === 'nodeKey' ? deriveNodeId(profile, signed) : signed).toLowerCase() === asked.toLowerCase()
