import { describe, expect, test } from 'vitest'
import { signIn } from '../../test/callers.ts'
import { bodyOf, client, expectInvalid, expectRefusal, statusesOf } from '../../test/client.ts'
import { createListedProject } from '../../test/subscription.ts'
import { runSql, setListingStatus } from '../../test/tables.ts'

const application = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }

/** A signed-in wallet; `approve` is a hub that approves by itself. */
const session = async (approve = false) => {
  const { address, token } = await signIn()
  const caller = client({ token, ...(approve && { bindings: { AUTO_APPROVE_DEVELOPERS: 'true' } }) })
  return {
    address,
    caller,
    enroll: (change: object = {}) =>
      caller.post('/v1/developers/me/enrollment', { ...application, ...change }),
    verify: (body?: object) => caller.post('/v1/developers/me/verification', body),
  }
}

describe('enrollment', () => {
  test('is pending until an operator decides, and a second application is refused', async () => {
    const { enroll, caller, address } = await session()
    expect(await bodyOf(enroll({ email: 'ada@ada.example', reason: 'to render' }))).toMatchObject({
      address,
      enrollment: { status: 'pending', submitted_at: expect.any(Number), reviewed_at: null, notes: null },
      verification: {
        status: 'unverified',
        submitted_at: null,
        requested_at: null,
        reviewed_at: null,
        notes: null,
      },
      ...{ projects: 0, miners: 0, joined_at: expect.any(Number) },
      email: 'ada@ada.example',
      reason: 'to render',
    })
    await expectRefusal(enroll(), '409 invalid_state')
    expect((await client().get(`/v1/developers/${address}`)).status).toBe(404)
    expect((await caller.get('/v1/developers/me')).status).toBe(200)
  })

  test('is active and verified at once if the hub approves automatically', async () => {
    const { enroll, verify, address } = await session(true)
    expect(await bodyOf(enroll())).toMatchObject({
      enrollment: { status: 'active', submitted_at: expect.any(Number), reviewed_at: expect.any(Number) },
      verification: { status: 'verified', requested_at: expect.any(Number), reviewed_at: expect.any(Number) },
    })
    await expectRefusal(enroll(), '409 invalid_state')
    await expectRefusal(verify(), '409 invalid_state')
    expect(await bodyOf(client().get(`/v1/developers/${address}`))).toMatchObject({
      address,
      verification: { status: 'verified' },
    })
  })

  test('can be submitted after a draft or a rejection', async () => {
    const { enroll, address } = await session()
    expect(await bodyOf(enroll({ draft: true }))).toMatchObject({
      enrollment: { status: 'draft', submitted_at: null },
    })
    expect(await bodyOf(enroll())).toMatchObject({ enrollment: { status: 'pending' } })
    await runSql("UPDATE developers SET enrollment = 'rejected' WHERE address = ?", address)
    const again = await bodyOf(enroll({ display_name: 'Ada II' }))
    expect(again).toMatchObject({ enrollment: { status: 'pending' }, display_name: 'Ada II' })
  })

  test('of ten racing applications, exactly one is accepted', async () => {
    const { enroll } = await session()
    expect(await statusesOf(Array.from({ length: 10 }, () => enroll()))).toEqual([200, ...Array(9).fill(409)])
  })

  test.each([
    ['agreements that are not accepted', { agreements_accepted: false }, 'agreements_accepted'],
    ['an empty name', { display_name: '' }, 'display_name'],
    ['a website that is not https', { website: 'http://ada.example' }, 'website'],
    // Two rules refuse it.
    ['a website that runs script', { website: 'javascript:alert(1)' }, ['website', 'website']],
    ['a malformed e-mail address', { email: 'ada' }, 'email'],
    ['another kind of developer', { developer_type: 'robot' }, 'developer_type'],
  ])('400 invalid_field: %s', async (_, change, path) => {
    const { enroll } = await session()
    await expectInvalid(enroll(change), ...[path].flat())
  })
})

describe('verification', () => {
  test('409 invalid_state without an enrollment; afterwards pending, and requested only once', async () => {
    const { enroll, verify } = await session()
    await expectRefusal(verify(), '409 invalid_state', {
      message:
        'The wallet has no enrollment; verification needs a pending or active one: POST /v1/developers/me/enrollment.',
    })
    await enroll()
    await expectInvalid(verify({ notes: 7 }), 'notes')
    const notes = 'Our website names this wallet.'
    const { verification } = await bodyOf<{ verification: Record<string, unknown> }>(verify({ notes }))
    expect(verification).toMatchObject({ status: 'pending', submitted_at: expect.any(Number) })
    expect(verification).toMatchObject({
      ...{ requested_at: verification.submitted_at, reviewed_at: null, notes },
    })
    await expectRefusal(verify({ notes: null }), '409 invalid_state', {
      message: 'The verification is pending already; an operator decides it.',
    })
  })
})

describe('profiles', () => {
  test('PUT replaces the profile; the e-mail address is for its owner', async () => {
    const { enroll, caller, address } = await session(true)
    await enroll()
    const profile = {
      display_name: 'Ada Computing',
      bio: 'Rendering.',
      website: 'https://ada.example/about',
      logo: null,
      location: 'London',
      email: 'ada@ada.example',
      social: { github: 'ada' },
    }
    expect(await bodyOf(caller.put('/v1/developers/me', profile))).toMatchObject(profile)
    const shown = await bodyOf(client().get(`/v1/developers/${address.toUpperCase().replace('0X', '0x')}`))
    expect(shown).toMatchObject({ display_name: 'Ada Computing', social: { github: 'ada' } })
    expect(shown).not.toHaveProperty('email')
    expect(shown).not.toHaveProperty('reason')
    await runSql("UPDATE developers SET enrollment_notes = 'hers', verification_notes = 'hers'")
    expect(JSON.stringify(await bodyOf(client().get(`/v1/developers/${address}`)))).not.toContain('hers')

    await caller.put('/v1/developers/me', { display_name: 'Ada' })
    const replaced = await bodyOf(caller.get('/v1/developers/me'))
    expect(replaced).toMatchObject({ bio: null, social: {}, email: null })
  })

  test('PATCH changes only the named members, also if two run at once', async () => {
    const { enroll, caller } = await session(true)
    const patch = (json: object) => caller.fetch('/v1/developers/me', { method: 'PATCH', json })
    await expectRefusal(patch({ bio: 'Nobody.' }), '404 not_found')
    await enroll({ email: 'ada@ada.example' })
    await Promise.all([
      patch({ bio: 'Rendering.' }),
      patch({ location: 'London', social: { github: 'ada' } }),
    ])
    const changed = { display_name: 'Ada', bio: 'Rendering.', location: 'London', social: { github: 'ada' } }
    expect(await bodyOf(patch({}))).toMatchObject({ ...changed, email: 'ada@ada.example' })
    const emptied = { ...changed, location: null, social: {} }
    expect(await bodyOf(patch({ location: null, social: {} }))).toMatchObject(emptied)
    for (const [change, path] of [
      [{ display_name: null }, 'display_name'],
      [{ social: null }, 'social'],
      [{ website: 'http://ada.example' }, 'website'],
      [{ more: 1 }, 'more'],
    ] as const)
      await expectInvalid(patch(change), path)
  })

  test('count the listed projects and their miners', async () => {
    const { enroll, address } = await session(true)
    await enroll()
    const [first, second] = [
      await createListedProject({}, { address }),
      await createListedProject({}, { address }),
    ]
    const counts = async () => {
      const { projects, miners } = await bodyOf(client().get(`/v1/developers/${address}`))
      return [projects, miners]
    }
    await runSql('UPDATE projects SET miners = 3 WHERE project_id = ?', first)
    await runSql('UPDATE projects SET miners = 4 WHERE project_id = ?', second)
    expect(await counts()).toEqual([2, 7])
    await setListingStatus(first, 'paused')
    await runSql('UPDATE projects SET miners = 9 WHERE project_id = ?', first)
    expect(await counts()).toEqual([1, 4])
    await setListingStatus(first, 'listed')
    expect(await counts()).toEqual([2, 13])
  })

  test('404 not_found: not enrolled', async () => {
    const { caller } = await session()
    await expectRefusal(caller.get('/v1/developers/me'), '404 not_found')
    await expectRefusal(caller.put('/v1/developers/me', { display_name: 'x' }), '404 not_found')
  })
})
