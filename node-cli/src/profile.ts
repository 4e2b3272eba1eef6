import { resolveProfile } from '../../protocol/profile.ts'

/** The network this build of the tool belongs to. */
export const profile = resolveProfile()
