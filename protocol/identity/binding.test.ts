import fc from 'fast-check'
import { expect } from 'vitest'
import { ed25519PublicKey, evmAddress } from '../signatures/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import {
  checkBindingRecord,
  createBindingRecord,
  formatBindingMessage,
  parseBindingMessage,
} from './binding.ts'
import { resolveProfile } from './profile.ts'

describeVectors('binding')

const profile = resolveProfile()
const ownerKey = `0x${'71'.repeat(32)}`
const nodeSeed = `0x${'82'.repeat(32)}`
const fields = fc.record({
  action: fc.constantFrom('bind', 'unbind'),
  owner: fc.constant(evmAddress(ownerKey)),
  public_key: fc.constant(ed25519PublicKey(nodeSeed)),
  issued_at: fc.nat(),
  nonce: fc.stringMatching(/^[0-9a-f]{32}$/),
})

property(
  'a message reads back as what it was written from, under its own profile only',
  [fields],
  (given) => {
    const message = formatBindingMessage(profile, given)
    expect(parseBindingMessage(profile, message)).toEqual(given)
    for (const renamed of [{ service: 'Swarm', prefix: 'hub' }, { node_id_prefix: 'n-' }, { chain_id: 1 }])
      expect(parseBindingMessage(resolveProfile(renamed), message)).toBeNull()
  },
)

const record = createBindingRecord(
  profile,
  {
    action: 'bind',
    owner: evmAddress(ownerKey),
    public_key: ed25519PublicKey(nodeSeed),
    issued_at: 1_800_000_000,
    nonce: '5'.repeat(32),
  },
  { ownerKey, nodeKey: nodeSeed },
)
property(
  'one changed character of a message is refused',
  [fc.nat(record.message.length - 1), fc.string({ minLength: 1, maxLength: 1 })],
  (at, character) => {
    fc.pre(record.message[at] !== character)
    const message = record.message.slice(0, at) + character + record.message.slice(at + 1)
    expect(checkBindingRecord(profile, { ...record, message }, 1_800_000_000).ok).toBe(false)
  },
)
