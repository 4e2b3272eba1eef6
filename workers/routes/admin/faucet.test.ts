import { describe, expect, test } from 'vitest'
import { createOperator } from '../../test/callers.ts'
import { bodyOf, client, expectInvalid, itemsOf, statusAndBody } from '../../test/client.ts'

const operator = await createOperator()
const put = (json: object) => operator.client.put('/admin/v1/faucet', json)
const notes = () => itemsOf(operator.client.get('/admin/v1/audit-log?subject=faucet'))
const shown = () => bodyOf(client().get('/v1/faucet'))

describe('the faucet settings of operators', () => {
  test('are shown to everybody, and the audit log has each change', async () => {
    const { amount, eth_amount, cooldown_secs } = await shown()
    const answer = { eth_amount, cooldown_secs, eligible: false, next_eligible_at: null }
    expect(await statusAndBody(put({ enabled: false, amount: '5', reason: 'Supply runs low.' }))).toEqual([
      200,
      { ...answer, enabled: false, amount: '5', token: null },
    ])
    expect(await shown()).toMatchObject({ enabled: false, amount: '5', eth_amount })
    expect(await bodyOf(put({ enabled: true, eth_amount: '0', cooldown_secs: 60 }))).toMatchObject({
      ...{ amount: '5', eth_amount: '0', cooldown_secs: 60 },
    })
    expect(await bodyOf(put({ amount: null, cooldown_secs: null }))).toMatchObject({
      ...{ amount, eth_amount: '0', cooldown_secs },
    })
    const closed = { enabled: false, amount: '5', eth_amount: null, cooldown_secs: null }
    const opened = { enabled: true, amount: '5', eth_amount: '0', cooldown_secs: 60 }
    expect(await notes()).toMatchObject([
      { before: opened, after: { amount: null, cooldown_secs: null } },
      { before: closed, after: { enabled: true, eth_amount: '0', cooldown_secs: 60 }, reason: null },
      {
        before: {},
        after: { enabled: false, amount: '5' },
        reason: 'Supply runs low.',
        action: 'faucet.set',
      },
    ])
  })

  test('of two concurrent changes the last one applies, and the audit log has both', async () => {
    const { length } = await notes()
    await Promise.all([put({ enabled: true, amount: '7' }), put({ enabled: true, amount: '8' })])
    expect(await notes()).toHaveLength(length + 2)
    expect(['7', '8']).toContain((await shown()).amount)
  })

  test.each([
    ['an amount of 0', { enabled: true, amount: '0' }, 'amount'],
    ['an amount that is not an integer', { enabled: true, amount: '1e3' }, 'amount'],
    ['an amount above the maximum', { enabled: true, eth_amount: '9'.repeat(78) }, 'eth_amount'],
    ['a cooldown of 0', { cooldown_secs: 0 }, 'cooldown_secs'],
    ['an unknown field', { enabled: true, cooldown: 1 }, 'cooldown'],
  ])('400 invalid_field: %s', async (_, json, path) => {
    await expectInvalid(put(json), path)
  })
})
