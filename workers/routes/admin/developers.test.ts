import { describe, expect, test } from 'vitest'
import { createOperator, createWallet, signIn } from '../../test/callers.ts'
import {
  bodyOf,
  client,
  expectInvalid,
  expectRefusal,
  itemsOf,
  pagesOf,
  statusesOf,
} from '../../test/client.ts'

const operator = await createOperator()

const application = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }
const applicant = async (change: object = {}) => {
  const { address, client: caller } = await signIn()
  await caller.post('/v1/developers/me/enrollment', { ...application, ...change })
  return { address, caller }
}
const granted = { enrollment: 'active', verification: 'verified' } as Record<string, string>
const decide = (address: string, what: string, action: string, notes?: string) => {
  const status = { approve: granted[what], reject: 'rejected' }[action] ?? action
  return operator.client.post(`/admin/v1/developers/${address}/${what}`, { status, ...(notes && { notes }) })
}
const notesOn = (subject: string) => itemsOf(operator.client.get(`/admin/v1/audit-log?subject=${subject}`))

describe('enrollment', () => {
  test('is approved, rejected and approved again; the audit log has the status before each decision', async () => {
    const { address, caller } = await applicant()
    const approved = await bodyOf(decide(address, 'enrollment', 'approve'))
    expect(approved).toMatchObject({
      enrollment: { status: 'active', reviewed_at: expect.any(Number), notes: null },
      verification: { status: 'unverified', reviewed_at: null },
    })
    expect((await client().get(`/v1/developers/${address}`)).status).toBe(200)
    await decide(address, 'enrollment', 'reject', 'Spam.')
    expect(await bodyOf(caller.get('/v1/developers/me'))).toMatchObject({
      enrollment: { status: 'rejected', notes: 'Spam.' },
    })
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

  test('409 invalid_state: the enrollment is only a draft; the audit log has no entry', async () => {
    const { address } = await applicant({ draft: true })
    for (const [action, rule] of [
      ['approve', 'only a pending or rejected one can be approved.'],
      ['reject', 'only a pending or active one can be rejected.'],
    ] as const)
      await expectRefusal(decide(address, 'enrollment', action), '409 invalid_state', {
        message: `The enrollment is draft; ${rule}`,
        details: { state: 'draft' },
      })
    expect(await notesOn(address)).toEqual([])
  })

  test('of two concurrent decisions, one succeeds and the other gets 409', async () => {
    const { address } = await applicant()
    const decisions = [1, 2].map(() => decide(address, 'enrollment', 'approve'))
    expect(await statusesOf(decisions)).toEqual([200, 409])
    expect(await notesOn(address)).toHaveLength(1)
  })
})

describe('verification', () => {
  test('is granted on request, and can be revoked', async () => {
    const { address, caller } = await applicant()
    await expectRefusal(decide(address, 'verification', 'approve'), '409 invalid_state', {
      details: { state: 'unverified' },
    })
    await caller.post('/v1/developers/me/verification')
    expect(await bodyOf(decide(address, 'verification', 'active'))).toMatchObject({
      verification: { status: 'verified', requested_at: expect.any(Number), reviewed_at: expect.any(Number) },
    })
    const rejected = await bodyOf(decide(address, 'verification', 'reject'))
    expect(rejected).toMatchObject({ verification: { status: 'rejected' } })
  })
})

describe.each(['enrollment', 'verification'])('%s', (what) => {
  test('400 invalid_field: an unknown decision', async () => {
    await expectInvalid(decide(createWallet().address, what, 'ponder'), 'status')
  })

  test('403 forbidden: a wallet that is not an operator', async () => {
    const { address, client: caller } = await signIn()
    const response = await caller.post(`/admin/v1/developers/${address}/${what}`, { status: 'active' })
    await expectRefusal(response, '403 forbidden')
  })
})

test('the audit log is read in pages, newest first', async () => {
  const { address } = await applicant()
  for (const action of ['approve', 'reject', 'approve']) await decide(address, 'enrollment', action)
  const pages = await pagesOf(operator.client, `/admin/v1/audit-log?subject=${address}`, 2)
  const entries = pages.flat().map(({ entry }) => entry)
  expect(entries).toHaveLength(3)
  expect(entries).toEqual(entries.toSorted((a, b) => b - a))
})
