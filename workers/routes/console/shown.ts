import { lastFrame, ringOf } from '../../../console/src/lib/ring.ts'
import { takesTasks } from '../../../console/src/lib/states.ts'
import { sentence } from '../../../console/src/lib/texts/ring.ts'

/** By the name that an element of the page has in `data-shown`; null where the element is not to be seen. */
export type Shown = Readonly<Record<string, string | null | undefined>>

/**
 * The texts that are largest on a screen, as its script draws them: they are seen while the script loads.
 *
 * @param answers To `givenReads` of the screen: the descriptor, then the record.
 */
export function shownOf(
  { project, round }: Readonly<Record<string, string>>,
  answers: readonly (string | null)[],
): Shown {
  // Each is what its schema says, or null.
  const [network, record] = answers.slice(0, 2).map((answer) => JSON.parse(answer ?? 'null'))
  if (round !== undefined) {
    if (record === null) return { id: round }
    const ring = ringOf(record, network?.validators ?? { count: 0, quorum: 0 })
    return { id: round, sentence: sentence(ring, lastFrame(ring)) }
  }
  if (project === undefined || record === null) return {}
  const { name, tagline, developer_name, listing, listing_status } = record
  return {
    name,
    tagline,
    developer: developer_name ?? '',
    description: listing.description ?? '',
    try: takesTasks(listing_status) ? undefined : null,
  }
}
