const minute = 60
const hour = 60 * minute
export const daySecs = 24 * hour

/** Webhooks of one wallet. */
export const webhooksMax = 20
/** Active ones of a hub: the reader holds them all. */
export const activeMax = 2_000
/** The reader reads them all again when one changes: on average at most this many per second. */
export const readAgainPerSec = 200
/** Valid secrets of one webhook. */
export const secretsMax = 5

/** Seconds from each attempt to the next: eight attempts within a day. */
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 4 * hour, 8 * hour, 9 * hour] as const
export const attemptsMax = pauses.length + 1

/** Seconds to the next attempt, if this many are left, the next one included. */
export const pauseBefore = (attemptsLeft: number): number => pauses[attemptsMax - attemptsLeft - 1] ?? hour

/** While a webhook fails, one of its waiting deliveries is probed at this interval: the pauses between its attempts are long. */
export const probeSecs = 20 * minute
/** An attempt that comes more than this before it is due is a probe: if it fails, it does not count as an attempt. */
export const probeEarlySecs = 60

/** A webhook that has only failed for this long is disabled when a delivery has used all of its attempts. */
export const failingSecsMax = 3 * daySecs
/** After an outage of this length everything that waits is tried again as soon as one attempt succeeds. */
export const outageSecs = 10 * minute

/** Deliveries of one webhook that are over and kept, and for how long. */
export const keptMax = 500
export const keptSecs = 30 * daySecs
/** Newest attempts that are kept of a delivery. */
export const attemptsKept = 10

/** Deliveries that all webhooks of one wallet get within these seconds, and those of the hub. */
export const portionSecs = 2
const portionMax = 20
const portionOfHubMax = 100
/** Attempts of one wallet that are due or under way. */
const underWayMax = 50
/** The same of a webhook whose last attempt took longer than this: it holds consumers. */
const underWayOfSlowMax = 5
export const slowMs = 2_000
/** Deliveries of one wallet that are not over: the others wait in the log. */
const pendingMax = 500
/** The same of a webhook that fails. */
const pendingOfFailingMax = 10

export interface Load {
  isSlow: boolean
  failingSince: number | null
  /** Deliveries that are not over, and those of them that are due: of the webhook, and of its wallet. */
  pending: number
  underWay: number
  pendingOfOwner: number
  underWayOfOwner: number
  /** When the next attempt of the webhook is due; null for none. */
  earliestDue: number | null
}

/** How many more events may become deliveries of a webhook, as far as those before leave room. */
export function roomOf(load: Load): number {
  const { isSlow, failingSince, pending, underWay, pendingOfOwner, underWayOfOwner } = load
  return Math.max(
    0,
    Math.min(
      portionMax,
      pendingMax - pendingOfOwner,
      underWayMax - underWayOfOwner,
      isSlow ? underWayOfSlowMax - underWay : portionMax,
      failingSince === null ? portionMax : pendingOfFailingMax - pending,
    ),
  )
}

/** A webhook without room has its next turn after the shorter time. A failing one waits for a due attempt, at most the longer time. */
const fullSecs = 10
const fullOfFailedSecs = 15 * minute

/** When a webhook without room has its next turn. */
export const turnAfter = ({ failingSince, pending, earliestDue }: Load, now: number): number =>
  failingSince !== null && pending >= pendingOfFailingMax
    ? Math.min(now + fullOfFailedSecs, Math.max(now + fullSecs, earliestDue ?? 0))
    : now + fullSecs

/** Counts deliveries that were made since a moment, so that no wallet takes the share of another. */
export class Portions {
  #since = 0
  #ofHub = 0
  readonly #ofOwners = new Map<string, number>()

  /** How many more a wallet may get; null while the hub has made enough. */
  left(owner: string, now: number): number | null {
    if (now >= this.#since + portionSecs || now < this.#since) {
      this.#since = now
      this.#ofHub = 0
      this.#ofOwners.clear()
    }
    if (this.#ofHub >= portionOfHubMax) return null
    return Math.min(portionMax - (this.#ofOwners.get(owner) ?? 0), portionOfHubMax - this.#ofHub)
  }

  note(owner: string, made: number): void {
    this.#ofHub += made
    this.#ofOwners.set(owner, (this.#ofOwners.get(owner) ?? 0) + made)
  }
}
