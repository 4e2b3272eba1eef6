import { resolveProfile } from '../../protocol/identity/index.ts'

/** The network this build of the tool belongs to. */
export const profile = resolveProfile()
