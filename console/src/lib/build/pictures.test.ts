import { expect, test } from 'vitest'
import { picturesOf, withPicture } from './pictures.ts'

const url = 'https://hub.example/v1/assets/1'

test('a new icon replaces the old one, and a screenshot is added after the others, only once', () => {
  const manifest = {
    slug: 'a',
    listing: { name: 'A', icon: 'https://a.example/', screenshots: ['https://b.example/'] },
  }
  const withIcon = withPicture(manifest, 'icon', url)
  expect(withIcon).toEqual({ ...manifest, listing: { ...manifest.listing, icon: url } })
  const twice = withPicture(withPicture(manifest, 'screenshots', url), 'screenshots', url)
  expect(picturesOf(twice).screenshots).toEqual(['https://b.example/', url])
})

test.each([[{}], [{ listing: null }], [{ listing: [] }], [{ listing: { icon: 5, screenshots: 'x' } }]])(
  'an incomplete manifest is read without an error: %j',
  (manifest) => {
    expect(picturesOf(manifest).icon).toEqual([])
    expect(picturesOf(withPicture(manifest, 'icon', url)).icon).toEqual([url])
  },
)
