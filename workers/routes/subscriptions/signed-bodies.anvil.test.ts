import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { GaslessPayload } from '../../../protocol/actions/index.ts'
import { services } from '../../services.ts'
import { createOwner, networkNow } from '../../test/callers.ts'
import { chain, finalizeRelays, passUnbonding, signedPayload, signTypedData } from '../../test/chain.ts'
import { bodyOf, errorOf, expectAnswer, expectRefusal } from '../../test/client.ts'
import { createSubscribed } from '../../test/subscribed.ts'
import { createListedProject } from '../../test/subscription.ts'

type Json = Record<string, unknown>

const projectId = await createListedProject()

const subscribe = () => createSubscribed(projectId)
const offered = async () => (await services(env).relayer?.health())?.nextNonce

describe.skipIf(chain === null)('payout addresses', () => {
  const other = `0x${'0e'.repeat(20)}`
  let subject: Awaited<ReturnType<typeof subscribe>>
  beforeAll(async () => {
    subject = await subscribe()
    await subject.bond()
  })
  const ask = (query: string, body?: unknown) => subject.call(`payout${query}`, body)

  test.each([
    ['payout_address', '', { payout_address: other }, other],
    ['the alias', '', { payout: other }, other],
    ['both with the same address', '', { payout_address: other, payout: other }, other],
    ['the query', `?payout_address=${other}`, undefined, other],
    ['the query, in capitals', `?payout_address=${other.replace('e', 'E')}`, undefined, other],
    ['null', '', { payout_address: null }, null],
    ['the zero address', '', { payout: `0x${'00'.repeat(20)}` }, null],
    ['the zero address in the query', `?payout_address=0x${'00'.repeat(20)}`, undefined, null],
  ])('%s', async (_, query, body, expected) => {
    await expectAnswer(ask(query, body), 200, {
      action: 'set_payout',
      typed_data: { message: { payout: expected ?? subject.owner.address } },
    })
  })

  test.each([
    ['two different addresses', '', { payout_address: other, payout: null }],
    ['a different address in the query', `?payout_address=${other}`, { payout: `0x${'01'.repeat(20)}` }],
    ['no body', '', undefined],
    ['an empty body', '', {}],
    ['a malformed address', '', { payout_address: 'me' }],
    ['a malformed address in the query', '?payout_address=me', undefined],
    ['an unknown field', '', { payout_address: other, more: 1 }],
  ])('400 invalid_field: %s', async (_, query, body) => {
    await expectRefusal(ask(query, body), '400 invalid_field')
  })
})

describe.skipIf(chain === null)('signed bodies', () => {
  const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  /** The other signature over the same digest, which contracts refuse as well. */
  const highS = (signature: string): string => {
    const s = n - BigInt(`0x${signature.slice(66, 130)}`)
    const v = signature.slice(130) === '1b' ? '1c' : '1b'
    return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}`
  }

  type Subject = Awaited<ReturnType<typeof subscribe>>
  const asked = (one: Subject, name: string, body?: unknown) => bodyOf<GaslessPayload>(one.call(name, body))
  const payloads = {
    bond: async (one: Subject) => one.created.bond,
    payout: (one: Subject) => asked(one, 'payout', { payout: null }),
    unbond: (one: Subject) => asked(one, 'unbond'),
    withdraw: async (one: Subject) => {
      await one.act('unbond')
      await passUnbonding()
      await finalizeRelays()
      return asked(one, 'withdraw')
    },
  }

  test.each(Object.keys(payloads) as (keyof typeof payloads)[])(
    '%s: the hub relays nothing that differs from the signed payload',
    async (name) => {
      const one = await subscribe()
      if (name !== 'bond') await one.bond()
      const payload = await payloads[name](one)
      const { typed_data } = payload
      const { key } = one.owner
      const before = await offered()
      const now = await networkNow()
      const { types, message, domain } = typed_data
      const honest = signedPayload(key, payload)
      /** Changed after it was signed. */
      const changed = (change: object) => ({ ...honest, typed_data: { ...typed_data, ...change } })
      const signedAs = (change: Json) => {
        const data = { ...typed_data, message: { ...message, ...change } } as typeof typed_data
        return { ...honest, typed_data: data, signature: signTypedData(key, data) }
      }
      const id = `0x${'77'.repeat(32)}`
      const subject = name === 'bond' ? { projectId: id } : { subscriptionId: id }
      const primaryType = name === 'withdraw' ? 'Unbond' : 'Withdraw'
      const refused: [what: string, refusal: string, body: unknown][] = [
        ['another owner', '400 invalid_field', signedAs({ owner: `0x${'01'.repeat(20)}` })],
        ['another subject', '400 invalid_field', signedAs(subject)],
        ['an extra field', '400 invalid_field', changed({ message: { ...message, memo: 'x' } })],
        ['other types', '400 invalid_field', changed({ types: { ...types, Other: [] } })],
        ['another domain', '400 invalid_field', changed({ domain: { ...domain, chainId: 1 } })],
        ['another action', '400 invalid_field', changed({ primaryType })],
        ['a deadline that passed', '400 invalid_field', signedAs({ deadline: String(now - 1) })],
        ['a deadline too far', '400 invalid_field', signedAs({ deadline: String(now + 604_900) })],
        ['high s', '422 bad_signature', { ...honest, signature: highS(honest.signature) }],
        ['a changed nonce', '422 bad_signature', changed({ message: { ...message, nonce: '9' } })],
        ['another nonce', '409 conflict', signedAs({ nonce: '9' })],
      ]
      for (const [what, refusal, body] of refused) {
        const { status, error } = await errorOf(one.call(name, body))
        expect([what, `${status} ${error}`]).toEqual([what, refusal])
      }
      const broken = {
        method: 'POST',
        body: '{"typed_data":',
        headers: { 'Content-Type': 'application/json' },
      }
      const path = `/v1/subscriptions/${one.id}/${name}`
      await expectRefusal(one.owner.client.fetch(path, broken), '400 bad_request')
      expect(await offered()).toBe(before)
      expect((await one.call(name, honest)).status).toBe(202)
      await finalizeRelays()
    },
  )

  test('a permit that differs is refused, and so is its bond', async () => {
    const one = await subscribe()
    const honest = signedPayload(one.owner.key, one.created.bond)
    const before = await offered()
    const permit = honest.permit as NonNullable<typeof honest.permit>
    const more = { ...permit, message: { ...permit.message, value: '1' } }
    for (const [change, refusal] of [
      [{ permit: more, permit_signature: signTypedData(one.owner.key, more) }, '400 invalid_field'],
      [{ permit_signature: honest.signature }, '422 bad_signature'],
      [{ permit_signature: null }, '400 invalid_field'],
    ] as const)
      await expectRefusal(one.call('bond', { ...honest, ...change }), refusal)
    expect(await offered()).toBe(before)
  })

  test('the session of another wallet relays nothing, regardless of the signer', async () => {
    const one = await subscribe()
    const stranger = await createOwner()
    const before = await offered()
    for (const key of [one.owner.key, stranger.key])
      await expectRefusal(
        stranger.client.post(`/v1/subscriptions/${one.id}/bond`, signedPayload(key, one.created.bond)),
        '403 not_owner',
      )
    expect(await offered()).toBe(before)
  })
})
