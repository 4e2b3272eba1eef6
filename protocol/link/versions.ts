import { type Profile, profileStrings } from '../identity/index.ts'

/**
 * Versions of the frames that this side speaks, the newest first; each is a subprotocol of the WebSocket. A node offers all of its
 * versions, and the hub takes the newest that both know.
 *
 * | version | adds |
 * | ------- | ---- |
 * | 1       | |
 * | 2       | `hello` says which versions the hub supports, how nodes come back, and has a ticket |
 *
 * Frames for validators belong to both: a hub sends them only to a node whose `ready` names that role.
 */
export const frameVersions = [2, 1] as const
export type FrameVersion = (typeof frameVersions)[number]

/** The subprotocol of a version. */
export const subprotocolOf = (profile: Profile, version: FrameVersion): string =>
  version === 1 ? profileStrings(profile).relay_subprotocol : profileStrings(profile).relay_subprotocol_2

/** The subprotocols that a node offers. */
export const subprotocolsOf = (profile: Profile): string[] =>
  frameVersions.map((version) => subprotocolOf(profile, version))

/** The version that the hub takes of those in a `Sec-WebSocket-Protocol` header; null where it knows none of them. */
export function agreedVersion(profile: Profile, offered: string): FrameVersion | null {
  const names = offered.split(',').map((name) => name.trim())
  return frameVersions.find((version) => names.includes(subprotocolOf(profile, version))) ?? null
}
