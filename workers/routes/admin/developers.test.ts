import { beforeAll, describe, expect, test } from 'vitest'
import { client, errorOf } from '../../test/client.ts'
import { createOperator } from '../../test/operator.ts'
import { createWallet, signIn } from '../../test/wallet.ts'

let operator: Awaited<ReturnType<typeof createOperator>>
beforeAll(async () => {
  operator = await createOperator()
})

const application = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }
const applicant = async (change: object = {}) => {
  const { address, client: caller } = await signIn()
  await caller.post('/v1/developers/me/enrollment', { ...application, ...change })
  return { address, caller }
}
const decide = (address: string, what: string, action: string, reason?: string) =>
  operator.client.post(`/admin/v1/developers/${address}/${what}`, { action, ...(reason && { reason }) })
const notesOn = async (subject: string) =>
  (
    (await (await operator.client.get(`/admin/v1/audit-log?subject=${subject}`)).json()) as {
      items: object[]
    }
  ).items

describe('enrollment', () => {
  test('is approved, ended, approved again; each is noted with what it was before', async () => {
    const { address, caller } = await applicant()
    expect(await (await decide(address, 'enrollment', 'approve')).json()).toMatchObject({
      enrollment: 'active',
      verification: 'unverified',
    })
    expect((await client().get(`/v1/developers/${address}`)).status).toBe(200)
    await decide(address, 'enrollment', 'reject', 'Spam.')
    expect(await (await caller.get('/v1/developers/me')).json()).toMatchObject({ enrollment: 'rejected' })
    await decide(address, 'enrollment', 'approve')
    expect(await notesOn(address)).toMatchObject([
      { action: 'developer.enrollment.approve', before: { enrollment: 'rejected' } },
      { action: 'developer.enrollment.reject', before: { enrollment: 'active' }, reason: 'Spam.' },
      {
        action: 'developer.enrollment.approve',
        operator: operator.address,
        before: { enrollment: 'pending' },
        after: { enrollment: 'active' },
      },
    ])
  })

  test('409 invalid_state: decided so already, or only a draft; nothing is noted', async () => {
    const { address } = await applicant({ draft: true })
    for (const action of ['approve', 'reject'])
      expect(await errorOf(await decide(address, 'enrollment', action))).toMatchObject({
        status: 409,
        error: 'invalid_state',
        message:
          action === 'approve'
            ? 'The enrollment is draft; only a pending or rejected one can be approved.'
            : 'The enrollment is draft; only a pending or active one can be rejected.',
        details: { state: 'draft' },
      })
    expect(await notesOn(address)).toEqual([])
  })

  test('of two operators that decide at once one is told the other was first', async () => {
    const { address } = await applicant()
    const statuses = (
      await Promise.all([decide(address, 'enrollment', 'approve'), decide(address, 'enrollment', 'approve')])
    ).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409])
    expect(await notesOn(address)).toHaveLength(1)
  })
})

describe('verification', () => {
  test('is granted to who asked, and can be taken back', async () => {
    const { address, caller } = await applicant()
    expect(await errorOf(await decide(address, 'verification', 'approve'))).toMatchObject({
      status: 409,
      error: 'invalid_state',
      details: { state: 'unverified' },
    })
    await caller.post('/v1/developers/me/verification')
    expect(await (await decide(address, 'verification', 'approve')).json()).toMatchObject({ verified: true })
    expect(await (await decide(address, 'verification', 'reject')).json()).toMatchObject({
      verification: 'rejected',
      verified: false,
    })
  })
})

describe.each(['enrollment', 'verification'])('%s', (what) => {
  test('404 not_found: a wallet that never enrolled; 400 invalid_field: no such decision', async () => {
    const { address } = createWallet()
    expect(await errorOf(await decide(address, what, 'approve'))).toMatchObject({
      status: 404,
      error: 'not_found',
    })
    expect(await errorOf(await decide(address, what, 'ponder'))).toMatchObject({
      status: 400,
      error: 'invalid_field',
    })
  })

  test('403 forbidden: a wallet that is no operator', async () => {
    const { address, client: caller } = await signIn()
    const response = await caller.post(`/admin/v1/developers/${address}/${what}`, { action: 'approve' })
    expect(await errorOf(response)).toMatchObject({ status: 403, error: 'forbidden' })
  })
})

test('the audit log is read in pages, newest first', async () => {
  const { address } = await applicant()
  for (const action of ['approve', 'reject', 'approve']) await decide(address, 'enrollment', action)
  const page = async (query: string) =>
    (await (await operator.client.get(`/admin/v1/audit-log?subject=${address}${query}`)).json()) as {
      items: { entry: number }[]
      next_cursor: string | null
    }
  const first = await page('&limit=2')
  const second = await page(`&limit=2&cursor=${first.next_cursor}`)
  const entries = [...first.items, ...second.items].map(({ entry }) => entry)
  expect(entries).toHaveLength(3)
  expect(entries).toEqual([...entries].sort((a, b) => b - a))
  expect(second.next_cursor).toBeNull()
})
