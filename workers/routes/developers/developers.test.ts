import { describe, expect, test } from 'vitest'
import { signIn } from '../../test/callers.ts'
import { bodyOf, client, expectInvalid, expectRefusal, statusesOf } from '../../test/client.ts'
import { runSql } from '../../test/tables.ts'

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
    verify: () => caller.post('/v1/developers/me/verification'),
  }
}

describe('enrollment', () => {
  test('is pending until somebody decides, and then cannot be asked for again', async () => {
    const { enroll, caller, address } = await session()
    expect(await bodyOf(enroll({ email: 'ada@ada.example', reason: 'to render' }))).toMatchObject({
      address,
      enrollment: 'pending',
      verification: 'unverified',
      verified: false,
      email: 'ada@ada.example',
      reason: 'to render',
    })
    await expectRefusal(enroll(), '409 invalid_state')
    expect((await client().get(`/v1/developers/${address}`)).status).toBe(404)
    expect((await caller.get('/v1/developers/me')).status).toBe(200)
  })

  test('is active and verified at once where the hub approves by itself', async () => {
    const { enroll, verify, address } = await session(true)
    expect(await bodyOf(enroll())).toMatchObject({ enrollment: 'active', verification: 'verified' })
    await expectRefusal(enroll(), '409 invalid_state')
    await expectRefusal(verify(), '409 invalid_state')
    expect(await bodyOf(client().get(`/v1/developers/${address}`))).toMatchObject({ address, verified: true })
  })

  test('a draft or a rejected one can be made again', async () => {
    const { enroll, address } = await session()
    expect(await bodyOf(enroll({ draft: true }))).toMatchObject({ enrollment: 'draft' })
    expect(await bodyOf(enroll())).toMatchObject({ enrollment: 'pending' })
    await runSql("UPDATE developers SET enrollment = 'rejected' WHERE address = ?", address)
    const again = await bodyOf(enroll({ display_name: 'Ada II' }))
    expect(again).toMatchObject({ enrollment: 'pending', display_name: 'Ada II' })
  })

  test('of ten racing applications exactly one is taken', async () => {
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
  test('409 invalid_state without an enrollment, then pending, and asked for once', async () => {
    const { enroll, verify } = await session()
    await expectRefusal(verify(), '409 invalid_state', {
      message:
        'The wallet has no enrollment; verification needs a pending or active one: POST /v1/developers/me/enrollment.',
    })
    await enroll()
    expect(await bodyOf(verify())).toMatchObject({ verification: 'pending' })
    await expectRefusal(verify(), '409 invalid_state', {
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

    await caller.put('/v1/developers/me', { display_name: 'Ada' })
    const replaced = await bodyOf(caller.get('/v1/developers/me'))
    expect(replaced).toMatchObject({ bio: null, social: {}, email: null })
  })

  test('404 not_found: not enrolled', async () => {
    const { caller } = await session()
    await expectRefusal(caller.get('/v1/developers/me'), '404 not_found')
    await expectRefusal(caller.put('/v1/developers/me', { display_name: 'x' }), '404 not_found')
  })
})
