import fc from 'fast-check'
import { hashTypedData as hashWithViem } from 'viem'
import { describe, expect, test } from 'vitest'
import { resolveProfile } from '../identity/index.ts'
import {
  entryTypeOf,
  evmAddress,
  type MemberValue,
  type StructMember,
  signEvmDigest,
  type TypedMessage,
} from '../signatures/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import {
  type Action,
  actions,
  bondBatchMax,
  buildGaslessPayload,
  buildTypedData,
  domainOf,
  hashAction,
  type PrimaryType,
  permitActions,
  structs,
} from './signed-actions.ts'
import { checkSignedBody } from './signed-body.ts'
import { checkTypedData } from './typed-data.ts'

describeVectors('gasless-eip712')

const profile = resolveProfile()
const contracts = {
  project_registry: `0x${'1a'.repeat(20)}`,
  staking: `0x${'2b'.repeat(20)}`,
  token: `0x${'3c'.repeat(20)}`,
}
const hex = (bytes: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${2 * bytes}}$`)).map((text) => `0x${text}`)
const memberValue = ({ type }: Pick<StructMember, 'type'>): fc.Arbitrary<MemberValue> => {
  const entryType = entryTypeOf(type)
  if (entryType !== null)
    return fc.array(memberValue({ type: entryType }), { minLength: 1 }) as fc.Arbitrary<string[]>
  if (type === 'address') return hex(20)
  if (type === 'bytes32') return hex(32)
  if (type === 'string') return fc.string({ unit: 'grapheme' })
  if (type === 'uint32') return fc.nat(2 ** 31)
  return fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String)
}
const messageOf = (primaryType: PrimaryType) =>
  fc.record(
    Object.fromEntries(structs[primaryType].members.map((member) => [member.name, memberValue(member)])),
  ) as fc.Arbitrary<TypedMessage>

describe('hashAction', () => {
  test.each(Object.keys(structs) as PrimaryType[])('property: agrees with viem: %s', (primaryType) => {
    const domain = domainOf(profile, contracts, primaryType)
    fc.assert(
      fc.property(messageOf(primaryType), (message) => {
        const typed = buildTypedData(domain, primaryType, message)
        expect(hashAction(domain, primaryType, message)).toBe(
          // biome-ignore lint/suspicious/noExplicitAny: viem derives its types from literals.
          hashWithViem(typed as any),
        )
      }),
      { numRuns: 20 },
    )
  })
})

describe('payloads and signed bodies', () => {
  const privateKey = `0x${'4d'.repeat(32)}`
  const owner = evmAddress(privateKey)
  const now = 1_800_000_000
  const bytes = `0x${'5e'.repeat(32)}`
  const other = `0x${'6f'.repeat(32)}`
  const messages: Record<Action, TypedMessage> = {
    register_project: {
      developer: owner,
      slug: 'fold',
      worker: bytes,
      consensusHash: bytes,
      manifestHash: bytes,
    },
    publish_version: {
      developer: owner,
      projectId: bytes,
      version: 2,
      consensusHash: bytes,
      manifestHash: bytes,
    },
    bond: { owner, projectId: bytes, nodeKey: bytes, amount: '7' },
    bond_batch: { owner, projectIds: [bytes, bytes], nodeKeys: [bytes, other], amounts: ['7', '11'] },
    set_payout: { owner, subscriptionId: bytes, payout: owner },
    unbond: { owner, subscriptionId: bytes },
    withdraw: { owner, subscriptionId: bytes },
  }
  const sign = (action: Action) => {
    const request = { action, message: messages[action], nonce: 4n, permitNonce: 9n, now }
    const { typed_data, permit } = buildGaslessPayload(profile, contracts, request)
    const signed = (typed: typeof typed_data) =>
      signEvmDigest(privateKey, hashAction(typed.domain, typed.primaryType as PrimaryType, typed.message))
    const primaryType = actions[action]
    const expected = {
      primaryType,
      domain: domainOf(profile, contracts, primaryType),
      message: messages[action],
      ...(permit === undefined ? {} : { permit_domain: domainOf(profile, contracts, 'Permit') }),
    }
    const body = {
      typed_data,
      signature: signed(typed_data),
      ...(permit === undefined ? {} : { permit, permit_signature: signed(permit) }),
    }
    return { body, expected }
  }

  test.each(Object.keys(actions) as Action[])(
    'an action that is built, signed and posted is accepted: %s',
    (action) => {
      const { body, expected } = sign(action)
      const check = checkSignedBody(JSON.parse(JSON.stringify(body)), expected, now)
      expect(check).toMatchObject({ ok: true, message: { nonce: '4', deadline: '1800003600' } })
      expect('permit' in body).toBe(permitActions.includes(action))
    },
  )

  test('the permit of a batch must be for exactly the sum', () => {
    const { body, expected } = sign('bond_batch')
    expect(body.permit?.message.value).toBe('18')
    const { message } = body.permit!
    const wrong = { ...body, permit: { ...body.permit, message: { ...message, value: '17' } } }
    expect(checkSignedBody(wrong, expected, now)).toMatchObject({ path: 'permit.message.value' })
  })

  test.each<[string, readonly unknown[] | string, string]>([
    ['fewer entries than the others', ['7'], 'amounts'],
    ['no entry', [], 'amounts'],
    ['an entry of another type', ['7', bytes], 'amounts'],
    ['a list in a list', ['7', ['11']], 'amounts'],
    ['its entries as one text', '7,11', 'amounts'],
    ['an entry with a leading zero', ['7', '011'], 'amounts'],
  ])('a list is refused with %s', (_, amounts, path) => {
    const { body, expected } = sign('bond_batch')
    const message = { ...body.typed_data.message, amounts }
    const check = checkTypedData({ ...body.typed_data, message }, expected, now)
    expect(check).toEqual({ ok: false, path: `message.${path}` })
  })

  test('one signature bonds at most bondBatchMax subscriptions', () => {
    const { body, expected } = sign('bond_batch')
    const { owner } = expected.message
    const batchOf = (count: number) => {
      const lists = { projectIds: bytes, nodeKeys: bytes, amounts: '7' }
      const long = Object.entries(lists).map(([name, one]) => [name, Array(count).fill(one)])
      const message = { ...body.typed_data.message, ...Object.fromEntries(long) }
      return checkTypedData({ ...body.typed_data, message }, { ...expected, message: { owner: owner! } }, now)
    }
    expect(batchOf(bondBatchMax)).toMatchObject({ ok: true })
    expect(batchOf(bondBatchMax + 1)).toEqual({ ok: false, path: 'message.projectIds' })
  })

  test('the form of the permit is checked before the signature of the action', () => {
    const { body, expected } = sign('bond')
    const wrong = { ...body, signature: `0x${'00'.repeat(65)}` }
    expect(checkSignedBody(wrong, expected, now)).toMatchObject({ code: 'bad_signature', path: 'signature' })
    expect(checkSignedBody({ ...wrong, permit: {} }, expected, now)).toMatchObject({ path: 'permit' })
  })

  const { body, expected } = sign('set_payout')
  property(
    'a signer refuses whatever differs from its own request',
    [fc.constantFrom('owner', 'subscriptionId', 'payout'), fc.anything()],
    (member, value) => {
      fc.pre(value !== expected.message[member])
      const message = { ...body.typed_data.message, [member]: value }
      expect(checkTypedData({ ...body.typed_data, message }, expected, now)).toEqual({
        ok: false,
        path: `message.${member}`,
      })
    },
  )
})
