import {
  charactersIn,
  isLineOf,
  isListOf,
  isLocalUrl,
  isMatching,
  isOneOf,
  isPrivateHost,
  isSetOf,
  type MemberChecker,
  plainLine,
  shownIn,
  showsItsHost,
  utf8,
} from '../encoding/index.ts'
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
  for (const key of ['name', 'tagline'] as const) listing.line(key, listingTexts[key])
  listing.plainText('description', listingTexts.description)
  listing.check('category', isOneOf(categories), `One of ${categories.join(', ')}.`)
  listing.check(
    'tags',
    (value) => isSetOf(value, 0, listingItemsMax.tags, isLineOf(listingTexts.tag)),
    `A list of at most ${listingItemsMax.tags} different tags of ${charactersIn(listingTexts.tag)}, ${shownIn(listingTexts.tag)}.`,
  )
  const isUrl = urlTest(baseUrl)
  const url = `A URL of at most ${listingUrlBytesMax} bytes with https and a public host, or ipfs, without user info, backslashes, control characters and characters that turn the direction of writing`
  listing.check('icon', isUrl, `${url}.`)
  for (const key of ['banner', 'video', 'website', 'docs', 'support'])
    listing.check(key, (value) => value === null || isUrl(value), `${url}, or null.`)
  listing.check(
    'screenshots',
    (value) => isListOf(value, listingItemsMax.screenshots, isUrl),
    `A list of at most ${listingItemsMax.screenshots} URLs, each ${url.charAt(0).toLowerCase()}${url.slice(1)}.`,
  )
  listing.check(
    'features',
    (value) => isListOf(value, listingItemsMax.features, isLineOf(listingTexts.feature)),
    `A list of at most ${listingItemsMax.features} texts of ${charactersIn(listingTexts.feature)}, ${shownIn(listingTexts.feature)}.`,
  )
  listing.check(
    'accent_color',
    (value) => value === null || isMatching(accentColorPattern)(value),
    '# and six digits of 0-9 and A-F, such as "#1F2E3D", or null.',
  )
}

/**
 * Addresses by the WHATWG rules. `http:` and hosts of a private network are for a local deployment: elsewhere they would
 * send everybody who opens the listing to a machine of their own.
 */
function urlTest(baseUrl: string): (value: unknown) => boolean {
  const isLocal = isLocalUrl(new URL(baseUrl))
  return (value) => {
    if (typeof value !== 'string' || utf8(value).length > listingUrlBytesMax) return false
    if (!plainLine.test(value) || !URL.canParse(value) || !showsItsHost(value)) return false
    const { protocol, hostname } = new URL(value)
    if (protocol === 'ipfs:') return true
    return isLocal ? /^https?:$/.test(protocol) : protocol === 'https:' && !isPrivateHost(hostname)
  }
}
