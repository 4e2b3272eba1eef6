/** Nodes usually have a block once this part of the block time has passed since its timestamp. */
const seenAfter = 0.25
/** A block that was missing then is looked for once more at this part of the block time. */
const secondLook = 0.5

/**
 * When to ask for the newest block again, in milliseconds: soon after the next one is due, by the timestamp of the newest, and at the latest after
 * the time of one block. A minute thus has as many questions as blocks, or twice as many while nodes are late.
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
