import { resolveProfile } from '../../protocol/identity/index.ts'

/** The scope of every package that is published. */
export const scope = `@${resolveProfile().prefix}`
