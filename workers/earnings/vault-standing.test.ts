import { describe, expect, test } from 'vitest'
import { type EpochCost, isPaying, shortfallOf } from './vault-standing.ts'

const token = `0x${'c0'.repeat(20)}`
const hour = 3_600
const cost: EpochCost = { epoch: 10, gross: '50', token, epochSecs: hour }
const end = 11 * hour
const now = 20 * hour

const terms = (from: number, cap: string, epochSecs = hour) => ({
  from,
  epoch_secs: epochSecs,
  epoch_cap: cap,
})
const vaultOf = (change: object = {}) => ({
  token,
  created_at: 1,
  funded: '100',
  withdrawn: '0',
  total_paid: '0',
  reserved: '0',
  terms: terms(1, '70'),
  next_terms: null,
  ...change,
})

describe('the shortfall of a vault for an epoch', () => {
  test.each([
    ['it is not opened', null, 'missing'],
    ['it pays another token', vaultOf({ token: '0x0' }), 'missing'],
    ['it was opened after the epoch', vaultOf({ created_at: end }), 'terms'],
    ['its cap was lower then', vaultOf({ terms: terms(1, '49'), next_terms: terms(end, '70') }), 'terms'],
    ['its epochs had another length', vaultOf({ terms: terms(1, '70', 2 * hour) }), 'terms'],
    ['not enough is free', vaultOf({ reserved: '51' }), 'funds'],
    ['nothing', vaultOf({ reserved: '50' }), undefined],
  ])('%s', (_, vault, cause) => {
    expect(shortfallOf(vault, cost)?.cause).toBe(cause)
  })
})

describe('a project', () => {
  const low = vaultOf({ terms: terms(1, '49') })
  test.each([
    ['pays if no epoch waits', null, [], true],
    ['does not pay without a vault', null, [cost], false],
    ['pays what its vault has enough for', vaultOf(), [cost, cost], true],
    ['does not pay more than is free', vaultOf(), [cost, { ...cost, gross: '101' }], false],
    ['does not pay above its cap', low, [cost], false],
    [
      'does not pay with terms that are not in force yet',
      { ...low, next_terms: terms(now + 1, '70') },
      [cost],
      false,
    ],
    ['pays again with terms that are in force', { ...low, next_terms: terms(now, '70') }, [cost], true],
    ['needs nothing free for what is never paid', vaultOf({ funded: '0', created_at: end }), [cost], true],
    [
      'does not pay while its vault has epochs of another length',
      vaultOf({ terms: terms(1, '70', 2 * hour) }),
      [cost],
      false,
    ],
  ])('%s', (_, vault, unposted, expected) => {
    expect(isPaying(vault, unposted, hour, now)).toBe(expected)
  })

  test('is judged by the new epoch length, not the former one', () => {
    const vault = vaultOf({ terms: terms(1, '49'), next_terms: terms(end, '70', 2 * hour) })
    expect(isPaying(vault, [cost], 2 * hour, now)).toBe(true)
    expect(isPaying(vault, [cost], hour, now)).toBe(false)
  })
})
