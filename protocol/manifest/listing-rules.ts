import type { MemberChecker } from '../encoding/index.ts'
import { hasCharacters, isListOf, isSetOf, utf8 } from '../encoding/index.ts'
import { categories } from './categories.ts'

const urlBytesMax = 512

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
  listing.check('name', (value) => hasCharacters(value, 1, 64), '1 to 64 characters.')
  listing.check('tagline', (value) => hasCharacters(value, 0, 120), 'At most 120 characters.')
  listing.check('description', (value) => hasCharacters(value, 0, 8000), 'At most 8000 characters.')
  const known: readonly unknown[] = categories
  listing.check('category', (value) => known.includes(value), `One of ${categories.join(', ')}.`)
  listing.check(
    'tags',
    (value) => isSetOf(value, 0, 8, (tag) => hasCharacters(tag, 1, 32)),
    'At most 8 different tags of 1 to 32 characters.',
  )
  const isUrl = urlTest(baseUrl)
  const url = `A URL of at most ${urlBytesMax} bytes with https or ipfs`
  listing.check('icon', isUrl, `${url}.`)
  for (const key of ['banner', 'video', 'website', 'docs', 'support'])
    listing.check(key, (value) => value === null || isUrl(value), `${url}, or null.`)
  listing.check('screenshots', (value) => isListOf(value, 8, isUrl), `At most 8 URLs. ${url}.`)
  listing.check(
    'features',
    (value) => isListOf(value, 12, (feature) => hasCharacters(feature, 0, 500)),
    'At most 12 texts of at most 500 characters.',
  )
  listing.check(
    'accent_color',
    (value) => value === null || (typeof value === 'string' && /^#[0-9A-F]{6}$/.test(value)),
    '# and six digits of 0-9 and A-F, or null.',
  )
}

/** Addresses by the WHATWG rules. `http:` is for a deployment that has no certificate itself, such as a local one. */
function urlTest(baseUrl: string): (value: unknown) => boolean {
  const schemes = ['https:', 'ipfs:']
  if (new URL(baseUrl).protocol === 'http:') schemes.push('http:')
  return (value) =>
    typeof value === 'string' &&
    utf8(value).length <= urlBytesMax &&
    URL.canParse(value) &&
    schemes.includes(new URL(value).protocol)
}
