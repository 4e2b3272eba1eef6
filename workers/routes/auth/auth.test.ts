import { describe, expect, test } from 'vitest'
import { checksumAddress } from '../../../protocol/encoding/index.ts'
import { createWallet, signIn } from '../../test/callers.ts'
import { bodyOf, client, expectInvalid, expectRefusal, statusesOf } from '../../test/client.ts'
import { rowsOf } from '../../test/tables.ts'

const askNonce = (address: string, domain = 'localhost:8787') =>
  bodyOf(client().post('/v1/auth/nonce', { address, domain }))

/** A wallet, with a text for it to sign. */
async function askText(domain?: string) {
  const wallet = createWallet()
  const { message, nonce } = await askNonce(wallet.address, domain)
  return { ...wallet, message: message as string, nonce: nonce as string }
}

const exchange = (message: string, signature: string) =>
  client().post('/v1/auth/siwe', { message, signature })

const wrongChecksum = '0x5AAEb6053F3E94C9b9A09f33669435E7Ef1BeAed'

describe('POST /v1/auth/nonce', () => {
  test('issues the complete text to sign', async () => {
    const { address } = createWallet()
    const { nonce, issued_at, expires_at, message } = await askNonce(address)
    expect(nonce).toMatch(/^[A-Za-z0-9]{17}$/)
    expect(expires_at - issued_at).toBe(300)
    const at = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
    expect(message).toBe(
      [
        'localhost:8787 wants you to sign in with your Ethereum account:',
        checksumAddress(address),
        '',
        'Sign in to Hub testnet.',
        '',
        'URI: http://localhost:8787',
        'Version: 1',
        'Chain ID: 31337',
        `Nonce: ${nonce}`,
        `Issued At: ${at(issued_at)}`,
        `Expiration Time: ${at(issued_at + 43_200)}`,
      ].join('\n'),
    )
  })

  test('never issues the same nonce twice', async () => {
    const { address } = createWallet()
    const nonces = await Promise.all(Array.from({ length: 20 }, () => askNonce(address)))
    expect(new Set(nonces.map(({ nonce }) => nonce)).size).toBe(20)
  })

  test('accepts an address with checksum, and returns it in lower case', async () => {
    const wallet = createWallet()
    const { message } = await askNonce(checksumAddress(wallet.address))
    expect(message).toContain(`\n${checksumAddress(wallet.address)}\n`)
    expect(await bodyOf(exchange(message, wallet.sign(message)))).toMatchObject({ address: wallet.address })
  })

  test.each(['localhost:8787', 'localhost:3000', '127.0.0.1:5173', 'localhost', 'localhost:65535'])(
    'on a local network a page of %s may sign in, also with a changed statement',
    async (domain) => {
      const { message, sign } = await askText(domain)
      expect(message.startsWith(`${domain} wants you`)).toBe(true)
      const own = message.replace('Sign in to Hub testnet.', 'My wallet says hello.')
      expect((await exchange(own, sign(own))).status).toBe(200)
    },
  )

  test.each([
    ['localhost:3000', 400],
    ['127.0.0.1:5173', 400],
    ['localhost', 400],
    // The web client that people run themselves.
    ['localhost:7878', 200],
    ['hub.example', 200],
  ])('on a public network a page of %s: %s', async (domain, status) => {
    const hub = client({ bindings: { BASE_URL: 'https://hub.example', LOCAL_NETWORK: 'false' } })
    const body = { address: createWallet().address, domain }
    expect((await hub.post('/v1/auth/nonce', body)).status).toBe(status)
  })

  test.each([
    ['another domain', { domain: 'evil.example' }, 'domain'],
    ['a port above 65535', { domain: 'localhost:65536' }, 'domain'],
    ['a path', { domain: 'localhost:3000/a' }, 'domain'],
    ['a user name', { domain: 'evil.example@localhost:3000' }, 'domain'],
    ['a longer name with an allowed prefix', { domain: 'localhost.evil.example' }, 'domain'],
    ['a host in capitals', { domain: 'LOCALHOST:3000' }, 'domain'],
    ['an address with a wrong checksum', { address: wrongChecksum }, 'address'],
    ['an address with capitals', { address: '0xABCDEF0000000000000000000000000000000000' }, 'address'],
    ['an address that is too short', { address: '0x12' }, 'address'],
  ])('400 invalid_field: %s', async (_, change, path) => {
    const body = { address: createWallet().address, domain: 'localhost:8787', ...change }
    await expectInvalid(client().post('/v1/auth/nonce', body), path)
  })
})

describe('POST /v1/auth/siwe', () => {
  test('a signed text opens a session of 12 hours', async () => {
    const { address, message, sign } = await askText()
    const response = await exchange(message, sign(message))
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const session = await bodyOf(response)
    expect(session).toEqual({
      token: expect.stringMatching(/^hubsess_[A-Za-z0-9_-]{43}$/),
      address,
      expires_at: expect.any(Number),
      roles: [],
    })
    expect((session.expires_at as number) - Date.now() / 1000).toBeGreaterThan(43_100)
    expect((session.expires_at as number) - Date.now() / 1000).toBeLessThanOrEqual(43_200)
  })

  test('only the hash of the token is stored', async () => {
    const { token } = await signIn()
    const results = await rowsOf('SELECT * FROM sessions')
    expect(JSON.stringify(results)).not.toContain(token.slice('hubsess_'.length))
  })

  test('of 50 racing exchanges of one nonce exactly one succeeds', async () => {
    const { message, sign } = await askText()
    const signature = sign(message)
    const statuses = await statusesOf(Array.from({ length: 50 }, () => exchange(message, signature)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(49)
  })

  test('401 bad_signature burns the nonce', async () => {
    const [wallet, other] = [createWallet(), createWallet()]
    const { message } = await askNonce(wallet.address)
    await expectRefusal(exchange(message, other.sign(message)), '401 bad_signature')
    await expectRefusal(exchange(message, wallet.sign(message)), '401 unauthorized')
  })

  test('a contract wallet cannot sign in while the hub has no chain', async () => {
    const { message } = await askText()
    await expectRefusal(exchange(message, `0x${'ab'.repeat(100)}`), '400 invalid_field')
  })
})

describe('GET /v1/auth/session and POST /v1/auth/logout', () => {
  test('shows the session without its token, until it is revoked', async () => {
    const { address, client: caller } = await signIn()
    const session = await caller.get('/v1/auth/session')
    expect(session.headers.get('cache-control')).toBe('private, no-store')
    expect(await session.json()).toEqual({ address, expires_at: expect.any(Number), roles: [] })

    const response = await caller.post('/v1/auth/logout')
    expect([response.status, await response.text()]).toEqual([204, ''])
    await expectRefusal(caller.get('/v1/auth/session'), '401 unauthorized')
  })

  test('logging out leaves other sessions of the wallet alone', async () => {
    const first = await signIn()
    const second = await signIn(first)
    await first.client.post('/v1/auth/logout')
    expect((await second.client.get('/v1/auth/session')).status).toBe(200)
  })

  test('an operator has the operator role', async () => {
    const { address, token } = await signIn()
    const operator = client({ token, bindings: { OPERATOR_ADDRESSES: address } })
    expect(await bodyOf(operator.get('/v1/auth/session'))).toMatchObject({ roles: ['operator'] })
  })
})
