export const firstPauseMs = 5_000
const longestPauseMs = 300_000
/** Projects that rest read the time no more often than this, since there may be many of them. */
const leapLookMs = 1_000

/** How long to wait before the next attempt, after so many that left a set open: 5, 10, 20 … 300 s. */
export const retryPauseMs = (attempts: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(16, attempts - 1))

/** How long to rest where nothing is due for `leftMs`. @param pollMs - How often time that may leap is read; null if it never does. */
export const restPauseMs = (leftMs: number, pollMs: number | null): number =>
  pollMs === null ? leftMs : Math.min(leftMs, Math.max(pollMs, leapLookMs))
