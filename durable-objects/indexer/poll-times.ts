/** So much of a block's time after its timestamp nodes have it, mostly. */
const seenAfter = 0.25
/** A block that was not there then is looked for once more at this part of its time. */
const secondLook = 0.5

/**
 * When to ask for the newest block again, in milliseconds: soon after the next one is due, by the timestamp of the newest, and at the latest after
 * the time of one block. So a minute has as many questions as blocks, or twice as many while nodes are late.
 */
export function nextPoll(
  nowMs: number,
  blockMs: number,
  newest: { timestamp: number } | null,
  isNew: boolean,
): number {
  if (newest === null) return nowMs + blockMs
  // If blocks come at any time, or their time was moved, the rhythm does no harm.
  const sinceMs = (((nowMs - newest.timestamp * 1000) % blockMs) + blockMs) % blockMs
  const isEarly = sinceMs >= blockMs * seenAfter && sinceMs < blockMs * secondLook
  if (!isNew && isEarly) return nowMs + blockMs * (secondLook - seenAfter)
  const toNextMs = (blockMs * seenAfter - sinceMs + blockMs) % blockMs
  return nowMs + (toNextMs === 0 ? blockMs : toNextMs)
}
