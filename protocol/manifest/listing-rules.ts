import type { MemberChecker } from '../encoding/index.ts'
import { charactersIn, isListOf, isSetOf, isTextOf, utf8 } from '../encoding/index.ts'
import { categories } from './categories.ts'
import { accentColorPattern, listingItemsMax, listingTexts, listingUrlBytesMax } from './manifest-limits.ts'

/**
 * Checks the tier `listing` of a manifest (section 6.1).
 * @param baseUrl The deployment's own address.
 */
export function checkListing(root: MemberChecker, baseUrl: string): void {
  const listing = root.object('listing', [
    'name',
    'tagline',
    'description',
    'category',
    'tags',
    'icon',
    'banner',
    'video',
    'website',
    'docs',
    'support',
    'screenshots',
    'features',
    'accent_color',
  ])
  for (const key of ['name', 'tagline', 'description'] as const) listing.text(key, listingTexts[key])
  const known: readonly unknown[] = categories
  listing.check('category', (value) => known.includes(value), `One of ${categories.join(', ')}.`)
  listing.check(
    'tags',
    (value) => isSetOf(value, 0, listingItemsMax.tags, isTextOf(listingTexts.tag)),
    `At most ${listingItemsMax.tags} different tags of ${charactersIn(listingTexts.tag)}.`,
  )
  const isUrl = urlTest(baseUrl)
  const url = `A URL of at most ${listingUrlBytesMax} bytes with https or ipfs`
  listing.check('icon', isUrl, `${url}.`)
  for (const key of ['banner', 'video', 'website', 'docs', 'support'])
    listing.check(key, (value) => value === null || isUrl(value), `${url}, or null.`)
  listing.check(
    'screenshots',
    (value) => isListOf(value, listingItemsMax.screenshots, isUrl),
    `At most ${listingItemsMax.screenshots} URLs. ${url}.`,
  )
  listing.check(
    'features',
    (value) => isListOf(value, listingItemsMax.features, isTextOf(listingTexts.feature)),
    `At most ${listingItemsMax.features} texts of ${charactersIn(listingTexts.feature)}.`,
  )
  listing.check(
    'accent_color',
    (value) => value === null || (typeof value === 'string' && accentColorPattern.test(value)),
    '# and six digits of 0-9 and A-F, or null.',
  )
}

/** Addresses by the WHATWG rules. `http:` is for a deployment that has no certificate itself, such as a local one. */
function urlTest(baseUrl: string): (value: unknown) => boolean {
  const schemes = ['https:', 'ipfs:']
  if (new URL(baseUrl).protocol === 'http:') schemes.push('http:')
  return (value) =>
    typeof value === 'string' &&
    utf8(value).length <= listingUrlBytesMax &&
    URL.canParse(value) &&
    schemes.includes(new URL(value).protocol)
}
