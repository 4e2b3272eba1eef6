import type { LongKind } from '../harness/kind.ts'
import './platform/register.ts'

/** Goals of a return from a deployment. */
const secondsMax = 120
const tripsMax = 0.1
const slowerMax = 2
/** Without tickets, more links than this are not compared: they ask for more than the database takes, again and again. */
const comparedMax = 10_000

/** How soon idle nodes are back after a deployment, on a platform whose database takes 500 trips in a second. */
export const links: LongKind = {
  run: async ({ length, seed, problem }) => {
    // The hub's objects find their runtime only now.
    const { returnOfLinks } = await import('./links.ts')
    const returned = await returnOfLinks(seed, length, true)
    const { seconds_until_back: seconds, missing, trips_per_link: trips, p99_ms_of_reads: reads } = returned
    if (missing > 0) problem(`${missing} links are not back after ${seconds} s`)
    if (seconds > secondsMax) problem(`the last link is back after ${seconds} s`)
    const own = Number((trips.returning - trips.idle).toFixed(3))
    if (own > tripsMax) problem(`a return takes ${own} trips to the database`)
    if (reads.while_they_return > slowerMax * reads.before)
      problem(`the p99 of other reads goes from ${reads.before} to ${reads.while_they_return} ms`)
    const without = length > comparedMax ? null : await returnOfLinks(seed, length, false)
    return { links: length, with_tickets: returned, without }
  },
}
