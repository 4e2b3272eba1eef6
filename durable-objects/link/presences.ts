import type { Presence } from './types.ts'

export const presencesMax = 16
/** The set of the longest epoch, a day, was built no longer ago while one of its rounds may ask. */
const keptMs = 2 * 86_400_000

/**
 * Adds the session that ended last to the others, oldest first. Of too many, the two with the shortest pause between them become one: the device counts
 * as there in that pause, and no number of sessions makes an earlier one be forgotten.
 */
export function withPresence(earlier: readonly Presence[], last: Presence): readonly Presence[] {
  const kept = [...earlier.filter(({ goneMs }) => goneMs > last.goneMs - keptMs), last]
  return kept.length > presencesMax ? joinNearest(kept) : kept
}

function joinNearest(presences: readonly Presence[]): Presence[] {
  const pauses = presences.slice(1).map(({ sinceMs }, i) => sinceMs - presences[i]!.goneMs)
  const shortest = pauses.reduce((best, pause, i) => (pause < pauses[best]! ? i : best), 0)
  const joined = { ...presences[shortest + 1]!, sinceMs: presences[shortest]!.sinceMs }
  return [...presences.slice(0, shortest), joined, ...presences.slice(shortest + 2)]
}
