import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { services } from '../../services.ts'
import { createOperator } from '../../test/callers.ts'
import {
  bodyOf,
  client,
  expectAnswer,
  expectRefusal,
  itemsOf,
  pagesOf,
  statusesOf,
} from '../../test/client.ts'
import type { Json } from '../../test/known-answers.ts'
import { emptyTables } from '../../test/tables.ts'

const operator = await createOperator()
beforeEach(async () => {
  await emptyTables('dead_letters', 'audit_log')
})

const path = '/admin/v1/dead-letters'
const list = () => itemsOf(operator.client.get(path))
const resend = (id: string, json?: object) => operator.client.post(`${path}/${id}/resend`, json)
const close = (id: string, json?: object) => operator.client.post(`${path}/${id}/close`, json)

/** The operator at a hub with another queue. */
const withQueue = (ACTIONS: never) =>
  client({ token: operator.token, bindings: { ACTIONS, OPERATOR_ADDRESSES: operator.address } })
const message = { v: 1, id: `0x${'0a'.repeat(32)}` }

const keep = (messageId: string, body: unknown, diedAt = 1) =>
  services(env).deadLetters.keep({
    messageId,
    queue: 'action-dead-letters',
    body: JSON.stringify(body),
    attempts: 11,
    diedAt,
  })

const audited = () => itemsOf(operator.client.get('/admin/v1/audit-log'))
const idsOf = (letters: Json[]) => letters.map(({ message_id }) => message_id)

describe('dead letters', () => {
  test('are listed newest first, in pages, until they are resolved', async () => {
    for (const [messageId, diedAt] of Object.entries({ a: 1, b: 2, c: 2, d: 3 }))
      await keep(messageId, {}, diedAt)
    const pages = await pagesOf(operator.client, path, 3)
    expect(pages.map(idsOf)).toEqual([['d', 'b', 'c'], ['a']])
    await close('b')
    expect(idsOf(await list())).toEqual(['d', 'c', 'a'])
  })

  test('keep the status degraded until all are resolved, regardless of their age', async () => {
    const status = () => bodyOf(client({ bindings: {} }).get('/v1/status'))
    await keep('old', {}, 1)
    expect(await status()).toMatchObject({ status: 'degraded', queue: 'unavailable' })
    await close('old')
    expect(await status()).toMatchObject({ queue: 'ok' })
  })

  test('are put back into the queue by a resend, which the audit log records with its operator', async () => {
    await keep('lost', message)
    const sent: unknown[] = []
    const ACTIONS = { send: async (one: unknown) => void sent.push(one) } as never
    await expectAnswer(
      withQueue(ACTIONS).post(`${path}/lost/resend`, { reason: 'The chain is back.' }),
      200,
      { message_id: 'lost', resolution: 'resent' },
    )
    expect(sent).toEqual([message])
    expect(await list()).toEqual([])
    expect(await audited()).toMatchObject([
      {
        operator: operator.address,
        action: 'dead_letter.resend',
        subject: 'lost',
        reason: 'The chain is back.',
        before: { queue: 'action-dead-letters', attempts: 11, died_at: 1 },
        after: { resolution: 'resent' },
      },
    ])
  })

  test('are resent to the queue that they came from', async () => {
    const delivery = { v: 1, webhookId: 'A'.repeat(16), number: 1, attemptsMade: 0 }
    const queue = 'webhook-deliveries-dead-letters'
    await services(env).deadLetters.keep({
      ...{ messageId: 'delivery', queue, attempts: 101, diedAt: 1 },
      body: JSON.stringify(delivery),
    })
    const sent: unknown[] = []
    const WEBHOOK_DELIVERIES = { send: async (one: unknown) => void sent.push(one) } as never
    const bindings = { OPERATOR_ADDRESSES: operator.address, WEBHOOK_DELIVERIES }
    const by = client({ token: operator.token, bindings })
    expect((await by.post(`${path}/delivery/resend`)).status).toBe(200)
    expect(sent).toEqual([delivery])
  })

  test('are resolved by only one of two concurrent requests', async () => {
    await keep('both', {})
    expect(await statusesOf([close('both'), close('both')])).toEqual([200, 409])
    expect(await audited()).toHaveLength(1)
  })

  test('409 invalid_state: already resolved, or unreadable for this hub', async () => {
    await keep('unreadable', { v: 99 })
    await expectRefusal(resend('unreadable'), '409 invalid_state')
    expect((await close('unreadable')).status).toBe(200)
    for (const see of [resend, close])
      await expectRefusal(see('unreadable'), '409 invalid_state', { details: { resolution: 'closed' } })
    expect(await audited()).toHaveLength(1)
  })

  test('stay dead letters if the queue does not accept them', async () => {
    const ACTIONS = { send: () => Promise.reject(new Error('Queue is overloaded')) } as never
    await keep('stays', message)
    const answer = await withQueue(ACTIONS).post(`${path}/stays/resend`)
    await expectRefusal(answer, '503 unavailable')
    expect(idsOf(await list())).toEqual(['stays'])
  })
})
