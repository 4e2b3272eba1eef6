import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ago, amount, duration, exactTime, median, number, shortId } from './format.ts'

test.each([
  ['0', 18, '0'],
  ['1', 18, '< 0.0001'],
  ['10000000000000000', 18, '0.01'],
  ['1234567890000000000000', 18, '1,234.5678'],
  ['5', 0, '5'],
  ['1999999', 6, '1.9999'],
])('amount: %s in units of 10^-%i is shown as %s, never rounded up', (text, decimals, shown) => {
  expect(amount(text, decimals)).toBe(shown)
})

test.each([
  ['0xb7c1ef806ce6eec8b800a22103e39f5f76d064dbe4aaf070aaa25fa667deb452', '0xb7c1ef…b452'],
  ['task:0x1371222df8bef2d1a8435457aa3c1c1863f3f1e02d4b26be25d958671d25f9c3', 'task:0x137122…f9c3'],
  ['node-8d9113359a880240', 'node-8d9113…0240'],
  [
    '4 attestations of 0xdab704f8143c61b93a167bab9994050580b1a85589403e1f94203420696f26b5',
    '4 attestations of 0xdab704…26b5',
  ],
  ['3 votes, 6 signatures', '3 votes, 6 signatures'],
  ['sample-echo', 'sample-echo'],
])('shortId: %s', (id, short) => {
  expect(shortId(id)).toBe(short)
})

test('times: relative times use the largest unit, durations the two largest', () => {
  expect([ago(100, 103), ago(40, 100), ago(7_300, 100), ago(0, 200_000)]).toEqual([
    ...['now', '1 min. ago', 'in 2 hr.', '2 days ago'],
  ])
  expect([duration(0), duration(61), duration(86_400), duration(90_061)]).toEqual([
    ...['0 s', '1 min 1 s', '1 day', '1 day 1 h'],
  ])
})

test('numbers and relative times have the same format as in Intl', () => {
  const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
  fc.assert(
    fc.property(fc.integer({ min: -1e11, max: 1e11 }), (hundredths) => {
      expect(number(hundredths / 100)).toBe(numbers.format(hundredths / 100).replace(/^-0$/, '0'))
    }),
  )
  const day = 86_400
  for (const gap of [-5_000 * day, -2 * day, -day, -3_600, -60, -5, 5, 60, 3_600, day, 2 * day]) {
    const [unit, size] = (
      [
        ['day', day],
        ['hour', 3_600],
        ['minute', 60],
        ['second', 1],
      ] as const
    ).find(([, seconds]) => Math.abs(gap) >= seconds)!
    expect(ago(gap, 0)).toBe(relative.format(gap / size, unit))
  }
})

test('exact times: in the time zone of the browser', () => {
  expect(exactTime(new Date(2026, 0, 2, 3, 4, 5).getTime() / 1_000)).toBe('2 Jan 2026, 03:04:05')
})

test('median: of zero, one, two and three numbers', () => {
  expect([median([]), median([4]), median([1, 4]), median([9, 1, 4])]).toEqual([null, 4, 2.5, 4])
})
