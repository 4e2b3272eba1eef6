import { resolveProfile } from '../../protocol/identity/index.ts'

const profile = resolveProfile()

/** The name of the client for `npm install`. */
export const clientName = `@${profile.prefix}/client`

/** A text with the names of the default network, as the Worker fills in those of its own. */
export const withNames = (text: string): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name) => String(profile[name as keyof typeof profile] ?? whole))
