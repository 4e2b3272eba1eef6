import type { ChainState } from './projections.ts'

/** How long after its end the next pause may begin. */
export const pauseRestSecs = 86_400

/** Whether the posting of epochs is paused at a time. No event tells of the end of a pause that nobody ended. */
export const isPostingPaused = ({ paused, paused_until: until }: ChainState, time: number): boolean =>
  paused === true && time < Number(until ?? Number.POSITIVE_INFINITY)

/** When a pause may begin that the contract refuses now, since the last ended within a day; null if none. One ended early may be resumed. */
export function nextPauseAt({ paused_until: until }: ChainState, time: number): number | null {
  if (until === undefined || time < Number(until)) return null
  const next = Number(until) + pauseRestSecs
  return time < next ? next : null
}
