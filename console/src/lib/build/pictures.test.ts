import { expect, test } from 'vitest'
import { picturesOf, withPicture } from './pictures.ts'

const url = 'https://hub.example/v1/assets/1'

test('a picture replaces the one before, and a screenshot comes after the others, once', () => {
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
  'a manifest that is still typed is read: %j',
  (manifest) => {
    expect(picturesOf(manifest).icon).toEqual([])
    expect(picturesOf(withPicture(manifest, 'icon', url)).icon).toEqual([url])
  },
)
