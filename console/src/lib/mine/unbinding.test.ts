import { describe, expect, test } from 'vitest'
import {
  type BindingFields,
  deriveNodeId,
  formatBindingMessage,
  hashBinding,
  resolveProfile,
} from '../../../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { unbindingOf } from './unbinding.ts'

const profile = resolveProfile({})
const public_key = ed25519PublicKey(`0x${'11'.repeat(32)}`)
const owner = `0x${'a1'.repeat(20)}`
const bound = { owner, public_key, node_id: deriveNodeId(profile, public_key) }
const textOf = (changed: Partial<BindingFields> = {}) =>
  formatBindingMessage(profile, {
    action: 'unbind',
    owner,
    public_key,
    issued_at: 1_793_000_000,
    nonce: '0123456789abcdef0123456789abcdef',
    ...changed,
  })

describe('the request of the hub to unbind a device', () => {
  test('is signed if it names exactly the device and its owner', () => {
    expect(unbindingOf(profile, textOf(), bound)).toEqual({
      ...bound,
      message: textOf(),
      binding_hash: hashBinding(textOf()),
      issued_at: 1_793_000_000,
      nonce: '0123456789abcdef0123456789abcdef',
    })
  })

  test.each([
    ['binds', textOf({ action: 'bind' })],
    ['is about another owner', textOf({ owner: `0x${'b2'.repeat(20)}` })],
    ['is about another device', textOf({ public_key: ed25519PublicKey(`0x${'22'.repeat(32)}`) })],
    ['has an extra line', `${textOf()}\nAmount: all`],
  ])('is not signed if it %s', (_, message) => {
    expect(unbindingOf(profile, message, bound)).toBeNull()
  })

  test('is not signed for a device whose id is not that of its key', () => {
    expect(unbindingOf(profile, textOf(), { ...bound, node_id: 'node-0123456789abcdef' })).toBeNull()
  })
})
