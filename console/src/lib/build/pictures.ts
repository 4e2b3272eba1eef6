/** The pictures that a manifest names. */
export const pictureMembers = ['icon', 'banner', 'screenshots'] as const
export type PictureMember = (typeof pictureMembers)[number]

const listingOf = (manifest: object): Record<string, unknown> => {
  const { listing } = manifest as { listing?: unknown }
  return typeof listing === 'object' && listing !== null && !Array.isArray(listing)
    ? (listing as Record<string, unknown>)
    : {}
}

/** Addresses, whatever else is typed there. */
export function picturesOf(manifest: object): Record<PictureMember, string[]> {
  const listing = listingOf(manifest)
  const texts = (value: unknown) =>
    (Array.isArray(value) ? value : [value]).filter(
      (one): one is string => typeof one === 'string' && one !== '',
    )
  return {
    icon: texts(listing.icon),
    banner: texts(listing.banner),
    screenshots: texts(listing.screenshots),
  }
}

/** A manifest that names a picture: in the place of the one before, or as a further screenshot. */
export function withPicture(manifest: object, member: PictureMember, url: string): object {
  const before = picturesOf(manifest).screenshots
  const value = member === 'screenshots' ? [...before.filter((one) => one !== url), url] : url
  return { ...manifest, listing: { ...listingOf(manifest), [member]: value } }
}
