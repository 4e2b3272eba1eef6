import { deriveNodeId, type Profile } from '../../../../protocol/identity/index.ts'

/** Whether a signed value is the one that was asked for. Of a key, its device was. */
export const isAsAsked = (
  profile: Profile,
  name: string,
  signed: string,
  asked: string | undefined,
): boolean =>
  asked !== undefined &&
  (name === 'nodeKey' ? deriveNodeId(profile, signed) : signed).toLowerCase() === asked.toLowerCase()
