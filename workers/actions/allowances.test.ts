import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { readSettings } from '../env.ts'
import { defaultAllowances } from './allowances.ts'

test('a hub only configures the allowances that differ from the defaults', () => {
  const { RELAY_ALLOWANCES } = readSettings({ ...env, RELAY_ALLOWANCES: '{"set_payout":3,"bond":0}' })
  expect(RELAY_ALLOWANCES).toEqual({ ...defaultAllowances, set_payout: 3, bond: 0 })
})

test.each(['{"set_payuot":3}', '{"bond":-1}', '{"bond":"many"}'])(
  'a hub with an invalid allowance reports the setting: %s',
  (text) => {
    expect(() => readSettings({ ...env, RELAY_ALLOWANCES: text })).toThrow(/RELAY_ALLOWANCES/)
  },
)
