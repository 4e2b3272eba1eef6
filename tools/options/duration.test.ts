import { expect, test } from 'vitest'
import { UsageError } from '../../scripts/command/errors.ts'
import { readDuration } from './duration.ts'

test.each([
  ['90s', 90],
  ['15m', 900],
  ['2h', 7_200],
  ['3d', 259_200],
  ['3650d', 315_360_000],
])('%s is %d seconds', (text, seconds) => {
  expect(readDuration(text)).toBe(seconds)
})

test.each(['', '2', 'h', '0s', '-2h', '1.5h', '2 h', '2H', '1w', '3651d', '9999999999s'])(
  'refuses "%s"',
  (text) => {
    expect(() => readDuration(text)).toThrow(UsageError)
  },
)
