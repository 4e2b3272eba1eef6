import { describe, expect, test } from 'vitest'
import { deriveNodeId, resolveProfile } from '../../../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { peerUrlProblem } from './peer-url.ts'
import { readValidators } from './validator-list.ts'

const profile = resolveProfile()
const validator = (byte: string, url = 'https://node.example') => {
  const publicKey = ed25519PublicKey(`0x${byte.repeat(32)}`)
  return { node_id: deriveNodeId(profile, publicKey), public_key: publicKey, url, region: null }
}
const [a, b] = [validator('11'), validator('22')]

describe('peerUrlProblem', () => {
  test.each([
    ['https://node.example:7070', null, null],
    ['https://1.1.1.1', null, null],
    ['http://127.0.0.1:7070', 'leads to this machine', null],
    ['https://localhost', 'leads to this machine', null],
    ['http://node.example', 'is not https', 'is not https'],
    ['https://10.0.0.1', 'leads into a private network', 'leads into a private network'],
    ['https://169.254.169.254', 'leads into a private network', 'leads into a private network'],
    ['https://[fd00::1]', 'leads into a private network', 'leads into a private network'],
    ['https://[::ffff:10.0.0.1]', 'leads into a private network', 'leads into a private network'],
    ['https://router.lan', 'leads into a private network', 'leads into a private network'],
    ['https://me:secret@node.example', 'holds a name or a password', 'holds a name or a password'],
    ['file:///etc/passwd', 'is no http URL', 'is no http URL'],
    ['node', 'is no http URL', 'is no http URL'],
  ])('%s: %s; on a local network: %s', (url, elsewhere, local) => {
    expect([peerUrlProblem(url, false), peerUrlProblem(url, true)]).toEqual([elsewhere, local])
  })
})

describe('readValidators', () => {
  test('takes a list', () => {
    expect(readValidators({ validators: [a, b], count: 2, quorum: 2 }, profile, false)).toEqual({
      validators: [a, b].map(({ node_id, public_key, url }) => ({
        nodeId: node_id,
        publicKey: public_key,
        url,
      })),
      problems: [],
    })
    expect(readValidators({ validators: [] }, profile, false)).toEqual({ validators: [], problems: [] })
  })

  test('a validator with an address that must not be called keeps its vote', () => {
    const hidden = validator('33', 'http://127.0.0.1:7070')
    const { validators, problems } = readValidators({ validators: [a, hidden] }, profile, false)
    expect(validators.map(({ url }) => url)).toEqual([a.url, null])
    expect(problems).toEqual([
      `the validator ${hidden.node_id} is not called: its address http://127.0.0.1:7070 leads to this machine`,
    ])
    expect(readValidators({ validators: [hidden] }, profile, true).problems).toEqual([])
  })

  test.each([
    ['no list', {}, 'without validators'],
    ['an endless list', { validators: Array(5000).fill(a) }, 'a list of at most 4096 items'],
    ['no object in it', { validators: [1] }, 'validators.0 is no object'],
    ['a key twice', { validators: [a, a] }, `the validator ${a.node_id} twice`],
    [
      'the id of another',
      { validators: [{ ...a, node_id: b.node_id }] },
      `as ${b.node_id}, which is another node's id`,
    ],
    [
      'a weak key',
      { validators: [{ ...a, public_key: `0x${'00'.repeat(32)}` }] },
      'without validators.0.public_key',
    ],
    ['no address', { validators: [{ ...a, url: null }] }, 'without validators.0.url'],
  ])('refuses %s as a whole', (_, answer, message) => {
    expect(() => readValidators(answer, profile, false)).toThrowError(
      expect.objectContaining({ name: 'HubError', message: expect.stringContaining(message) }),
    )
  })
})
