import { describe, expect, test } from 'vitest'
import { describeVectors } from '../vectors/suite.ts'
import { defaultNetworkParams, isNetworkParams } from './network-params.ts'

describeVectors('network-params')

describe('isNetworkParams', () => {
  test('accepts the defaults', () => {
    expect(isNetworkParams(defaultNetworkParams)).toBe(true)
  })

  test.each([
    ['an integer as text', { settle: '120' }],
    ['an amount as integer', { weight_unit_wei: 1 }],
    ['a negative integer', { settle: -1 }],
    ['a fraction', { settle: 0.5 }],
    ['another key', { note: 1 }],
  ])('refuses %s', (_, change) => {
    expect(isNetworkParams({ ...defaultNetworkParams, ...change })).toBe(false)
  })

  test('refuses a missing key and other types', () => {
    const { settle: _, ...rest } = defaultNetworkParams
    expect([rest, null, [], 'x'].some(isNetworkParams)).toBe(false)
  })
})
