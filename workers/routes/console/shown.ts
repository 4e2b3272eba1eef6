import { takesTasks } from '../../../console/src/lib/states.ts'

/** By the name that an element of the page has in `data-shown`; null if the element is not to be seen. */
export type Shown = Readonly<Record<string, string | null | undefined>>

/**
 * The texts that are largest on a screen, as its script draws them: they are seen while the script loads.
 *
 * @param answers To `givenReads` of the screen: the descriptor, then the record.
 */
export function shownOf(
  { project, round }: Readonly<Record<string, string>>,
  [descriptor, answer]: readonly (string | null)[],
): Shown {
  const brand = descriptor ? brandOf(JSON.parse(descriptor)) : undefined
  if (round !== undefined) return { brand, id: round }
  if (project === undefined || !answer) return { brand }
  // The members have the shape of `ProjectView`.
  const { name, tagline, developer_name, listing, listing_status } = JSON.parse(answer)
  return {
    brand,
    name,
    tagline,
    developer: developer_name ?? '',
    description: listing.description ?? '',
    try: takesTasks(listing_status) ? undefined : null,
  }
}

/** The name of the hub, as the head of every screen has it. */
const brandOf = ({ brand, network }: { brand: { name: string | null }; network: string }): string =>
  brand.name ?? network
