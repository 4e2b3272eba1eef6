import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { issueSiweMessage, resolveProfile } from '../protocol/identity/index.ts'
import { createHub, RefusedToSign, SessionExpired, WrongClock } from './index.ts'
import { keyWallet } from './key-wallet.ts'
import type { Wallet } from './signing.ts'
import { json, type Reply, refusal, scriptedHub } from './testing/scripted-hub.ts'

describe('a session', () => {
  /** A hub whose tokens are good until it forgets them. @param offset seconds by which its clock is ahead. */
  const forgetfulHub = async (offset = 0) => {
    const sent: string[] = []
    let tokens = 0
    let valid = ''
    let isDeaf = false
    const reply: Reply = (response, { url, body, headers }) => {
      sent.push(`${url} ${headers.authorization ?? ''}`.trim())
      if (url === '/') return json(200, { chain: { id: 31337, contracts: {} } })(response, {} as never)
      if (url === '/v1/auth/nonce') {
        const { address, domain } = JSON.parse(body) as { address: string; domain: string }
        const issue = {
          domain,
          address,
          nonce: 'n'.repeat(17),
          issuedAt: Math.floor(Date.now() / 1000) + offset,
        }
        return json(200, { nonce: issue.nonce, message: issueSiweMessage(resolveProfile(), issue) })(
          response,
          {} as never,
        )
      }
      if (url === '/v1/auth/siwe') {
        tokens++
        valid = `token-${tokens}`
        const address = checkedSigner(body)
        return json(200, { token: valid, address, expires_at: 0, roles: [] })(response, {} as never)
      }
      const isValid = !isDeaf && headers.authorization === `Bearer ${valid}`
      return (isValid ? json(200, { url }) : refusal(401, 'session_expired'))(response, {} as never)
    }
    const server = await scriptedHub(reply)
    return {
      ...server,
      sent,
      forget: () => {
        valid = ''
      },
      goDeaf: () => {
        isDeaf = true
      },
    }
  }
  const checkedSigner = (body: string): string => {
    const { message } = JSON.parse(body) as { message: string }
    return /0x[0-9a-fA-F]{40}/.exec(message)![0].toLowerCase()
  }
  const wallets = ['11', '22'].map((byte) => keyWallet(`0x${byte.repeat(32)}`))

  test.each([
    [-400, 'ahead of'],
    [400, 'behind'],
  ])('is not opened with a clock that is %d s from the time of the hub', async (offset, words) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await using server = await forgetfulHub(offset)
    const error = await createHub({ url: server.url })
      .signIn(wallets[0]!)
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(WrongClock)
    expect(error).toBeInstanceOf(RefusedToSign)
    expect(error.offset).toBe(offset)
    expect(error.message).toContain(`s ${words} ${server.url}; nothing was signed. Set the clock`)
    expect(server.sent.at(-1)).toBe('/v1/auth/nonce')
  })

  test('that has expired is renewed once, for all calls that wait for it', async () => {
    await using server = await forgetfulHub()
    const session = await createHub({ url: server.url }).signIn(wallets[0]!)
    expect(session.address).toBe(wallets[0]!.address)
    server.forget()
    await Promise.all([session.call('GET /v1/me'), session.call('GET /v1/me/alerts')])
    expect(session.current.token).toBe('token-2')
    expect(server.sent.filter((line) => line.startsWith('/v1/auth/siwe'))).toHaveLength(2)
    expect(server.sent.filter((line) => line.endsWith('Bearer token-2'))).toHaveLength(2)
  })

  test('is not renewed again by a call whose refusal arrives after the renewal', async () => {
    await using server = await forgetfulHub()
    let release = () => {}
    const isRenewed = new Promise<void>((resolve) => {
      release = resolve
    })
    const hub = createHub({
      url: server.url,
      fetch: async (request) => {
        const response = await fetch(request)
        if (request.url.endsWith('/alerts') && response.status === 401) await isRenewed
        return response
      },
    })
    const session = await hub.signIn(wallets[0]!)
    server.forget()
    const late = session.call('GET /v1/me/alerts')
    await session.call('GET /v1/me')
    release()
    await late
    expect(session.current.token).toBe('token-2')
  })

  test('that is not renewed leaves a call its key if the answer to its first try was lost', async () => {
    await using server = await forgetfulHub()
    let isLost = false
    const hub = createHub({
      url: server.url,
      retry: { pause: 1 },
      fetch: async (request) => {
        const response = await fetch(request)
        if (isLost || !request.url.endsWith('/drip')) return response
        isLost = true
        throw new TypeError('The connection broke.')
      },
    })
    let asked = 0
    const signMessage: Wallet['signMessage'] = async (text) => {
      if (asked++ > 0) throw new RefusedToSign('It is locked.')
      return wallets[0]!.signMessage(text)
    }
    const session = await hub.signIn({ ...wallets[0]!, signMessage })
    server.forget()
    const call = session.call('POST /v1/faucet/drip', { idempotencyKey: 'mine' })
    const error = await call.catch((thrown) => thrown)
    expect(error).toBeInstanceOf(RefusedToSign)
    expect(error).toMatchObject({ idempotencyKey: 'mine' })
  })

  test('that the hub keeps refusing is renewed only once', async () => {
    await using server = await forgetfulHub()
    const session = await createHub({ url: server.url }).signIn(wallets[0]!)
    server.goDeaf()
    await expect(session.call('GET /v1/me')).rejects.toThrow(SessionExpired)
    expect(server.sent.slice(-3)).toEqual(['/v1/auth/nonce', '/v1/auth/siwe', '/v1/me Bearer token-2'])
  })

  test('that is signed out is not renewed, and the next sign-in opens a new session', async () => {
    await using server = await forgetfulHub()
    const hub = createHub({ url: server.url })
    const session = await hub.signIn(wallets[0]!)
    server.forget()
    await session.signOut()
    await expect(session.call('GET /v1/me')).rejects.toThrow(SessionExpired)
    expect(server.sent.slice(-2)).toEqual(['/v1/auth/logout Bearer token-1', '/v1/me Bearer token-1'])
    expect((await hub.signIn(wallets[0]!)).current.token).toBe('token-2')
  })

  test('belongs to one wallet: another wallet has its own, and the hub object has none', async () => {
    await using server = await forgetfulHub()
    const hub = createHub({ url: server.url })
    const [first, second, again] = [
      await hub.signIn(wallets[0]!),
      await hub.signIn(wallets[1]!),
      await hub.signIn(wallets[0]!),
    ]
    expect(again).toBe(first)
    expect([first.address, second.address]).toEqual(wallets.map(({ address }) => address))
    await expect(hub.call('GET /v1/me')).rejects.toThrow()
    expect(server.sent.at(-1)).toBe('/v1/me')
  })
})
