import { type Profile, profileStrings } from '../identity/index.ts'

/**
 * Versions of the frames that this side speaks, the newest first; each is a subprotocol of the WebSocket. A node offers all of its
 * versions, and the hub takes the newest that both know.
 *
 * | version | adds |
 * | ------- | ---- |
 * | 1       | |
 * | 2       | `hello` says which versions the hub supports, how nodes come back, and has a ticket |
 * | 3       | committee sets that a validator is to attest |
 * | 4       | `vote` says why a run failed |
 *
 * The other frames for validators belong to all: a hub sends them only to a node whose `ready` names that role.
 */
export const frameVersions = [4, 3, 2, 1] as const
export type FrameVersion = (typeof frameVersions)[number]

const names = {
  1: 'relay_subprotocol',
  2: 'relay_subprotocol_2',
  3: 'relay_subprotocol_3',
  4: 'relay_subprotocol_4',
} as const

/** The subprotocol of a version. */
export const subprotocolOf = (profile: Profile, version: FrameVersion): string =>
  profileStrings(profile)[names[version]]

/** The subprotocols that a node offers. */
export const subprotocolsOf = (profile: Profile): string[] =>
  frameVersions.map((version) => subprotocolOf(profile, version))

/** The version that the hub takes of those in a `Sec-WebSocket-Protocol` header; null if it knows none of them. */
export function agreedVersion(profile: Profile, offered: string): FrameVersion | null {
  const known = offered.split(',').map((name) => name.trim())
  return frameVersions.find((version) => known.includes(subprotocolOf(profile, version))) ?? null
}
