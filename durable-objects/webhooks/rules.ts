const minute = 60
const hour = 60 * minute
export const daySecs = 24 * hour

/** Of one wallet. */
export const webhooksMax = 20
/** Valid secrets of one webhook. */
export const secretsMax = 5

/** Seconds from each attempt to the next: eight attempts within a day. */
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 4 * hour, 8 * hour, 9 * hour] as const
export const attemptsMax = pauses.length + 1

/** Seconds to the next attempt, after which so many are left. */
export const pauseBefore = (attemptsLeft: number): number => pauses[attemptsMax - attemptsLeft - 1] ?? hour

/** A webhook that has only failed for so long is disabled. */
export const failingSecsMax = 3 * daySecs
/** After an outage of this length everything that waits is tried again as soon as one attempt succeeds. */
export const outageSecs = 10 * minute

/** Deliveries of one webhook that are over and kept, and for how long. */
export const keptMax = 500
export const keptSecs = 30 * daySecs
/** Newest attempts that are kept of a delivery. */
export const attemptsKept = 10

/** Deliveries that one webhook gets at once, and seconds from then to the next ones. */
const portionMax = 20
export const portionSecs = 2
/** Attempts of one webhook that are due or under way. */
const underWayMax = 50
/** Deliveries of one webhook that are not over: the others wait in the log. */
const pendingMax = 500
/** The same of one that fails. */
const pendingOfFailingMax = 10

/** How many more events may become deliveries now. */
export function roomOf({
  failingSince,
  pending,
  underWay,
}: {
  failingSince: number | null
  pending: number
  underWay: number
}): number {
  const most = failingSince === null ? pendingMax : pendingOfFailingMax
  return Math.max(0, Math.min(portionMax, underWayMax - underWay, most - pending))
}
