import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { client, errorOf } from '../../test/client.ts'
import { createOperator } from '../../test/operator.ts'

let operator: Awaited<ReturnType<typeof createOperator>>
beforeAll(async () => {
  operator = await createOperator()
})
const put = (json: object) => operator.client.fetch('/admin/v1/faucet', { method: 'PUT', json })
const shown = async () => (await (await client().get('/v1/faucet')).json()) as Record<string, unknown>

describe('the faucet as operators set it', () => {
  test('is what everybody is shown, and each change is noted', async () => {
    const { amount, eth_amount } = await shown()
    const first = await put({ enabled: false, amount: '5', reason: 'Supply runs low.' })
    expect([first.status, await first.json()]).toEqual([200, { enabled: false, amount: '5', eth_amount }])
    expect(await shown()).toMatchObject({ enabled: false, amount: '5', eth_amount })
    const second = await put({ enabled: true, eth_amount: '0' })
    expect(await second.json()).toEqual({ enabled: true, amount, eth_amount: '0' })
    const { items } = (await (await operator.client.get('/admin/v1/audit-log?subject=faucet')).json()) as {
      items: object[]
    }
    const state = (enabled: boolean, given: string | null, native: string | null) => ({
      enabled,
      amount: given,
      eth_amount: native,
    })
    expect(items).toMatchObject([
      { before: state(false, '5', null), after: state(true, null, '0'), reason: null },
      { before: {}, after: state(false, '5', null), reason: 'Supply runs low.', action: 'faucet.set' },
    ])
  })

  test('of two operators at once the last one stays, and both are noted', async () => {
    const noted = () =>
      env.DB.prepare("SELECT count(*) AS notes FROM audit_log WHERE subject = 'faucet'").first<number>(
        'notes',
      )
    const before = (await noted()) ?? 0
    await Promise.all([put({ enabled: true, amount: '7' }), put({ enabled: true, amount: '8' })])
    expect(await noted()).toBe(before + 2)
    expect(['7', '8']).toContain((await shown()).amount)
  })

  test.each([
    ['nothing', {}, 'enabled'],
    ['nothing to give', { enabled: true, amount: '0' }, 'amount'],
    ['no number', { enabled: true, amount: '1e3' }, 'amount'],
    ['more than there is', { enabled: true, eth_amount: '9'.repeat(78) }, 'eth_amount'],
    ['an unknown field', { enabled: true, cooldown_secs: 1 }, 'cooldown_secs'],
  ])('400 invalid_field: %s', async (_, json, path) => {
    const error = await errorOf(await put(json))
    expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
    expect(error.details?.problems?.map((problem) => problem.path)).toEqual([path])
  })
})
