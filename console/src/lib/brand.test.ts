import { expect, test } from 'vitest'
import { accentFor, contrast } from './brand.ts'

const parts = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as never

test.each(['#000000', '#FFFFFF', '#FFEE00', '#3348C9', '#00FF00', '#FF0000', '#808080'])(
  '%s becomes readable in both colour schemes',
  (hex) => {
    expect(contrast(parts(accentFor(hex, 'light')), [255, 255, 255])).toBeGreaterThanOrEqual(5.5)
    expect(contrast(parts(accentFor(hex, 'dark')), [14, 17, 22])).toBeGreaterThanOrEqual(5.5)
  },
)

test('a readable colour does not change', () => {
  expect(accentFor('#3348C9', 'light')).toBe('#3348c9')
  expect(accentFor('#93A5FF', 'dark')).toBe('#93a5ff')
})
