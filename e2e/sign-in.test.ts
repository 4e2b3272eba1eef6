import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pickPort } from '../localnet/port.ts'
import { privateKeys } from '../localnet/private-keys.ts'
import { evmAddress } from '../protocol/signatures/index.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { type Anvil, hasAnvil, startAnvil } from '../testing/anvil.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { startLocalServer } from '../testing/local-server.ts'

let chain: Anvil | undefined
/** Between the hub and the chain. */
let node: Awaited<ReturnType<typeof startLocalServer>>
let isNodeBroken = false
let hub: TestHub
let origin: string

beforeAll(async () => {
  if (hasAnvil) chain = await startAnvil()
  node = await startLocalServer(async (request, response) => {
    if (chain === undefined || isNodeBroken) return response.writeHead(500).end()
    const body = await text(request)
    const answer = await fetch(chain.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    })
    return response.end(await answer.text())
  })
  hub = await startTestHub({ CHAIN_RPC_URL: node.url })
  origin = hub.origin
})
afterAll(async () => {
  await hub?.stop()
  await node?.stop()
  await chain?.stop()
})

const signInTo = async (target: string) => signIn(await readNetwork(target), privateKeys.developer)

describe('signIn', () => {
  test('returns a session of the wallet', async () => {
    const { client, address } = await signInTo(origin)
    expect(address).toBe(evmAddress(privateKeys.developer))
    expect(await client.call('GET /v1/auth/session')).toMatchObject({ address })
  })

  test('says that no hub answers', async () => {
    const nobody = `http://localhost:${await pickPort()}`
    await expect(signInTo(nobody)).rejects.toThrow(/No hub answers .*npm start.*--hub URL/)
  })

  test('reports a server that is not a hub, and a hub that does not use TLS', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0)
    const { port } = other.address() as AddressInfo
    await expect(signInTo(`http://localhost:${port}`)).rejects.toThrow(/is not a hub: its answer is not JSON/)
    other.close()
    await expect(signInTo(origin.replace('http', 'https'))).rejects.toThrow(/starts with http:/)
  })

  test('signs nothing for a hub that asks for a sign-in to another site', async () => {
    const bodies: string[] = []
    const thief = createServer((request, response) => {
      request.on('data', (data) => bodies.push(String(data)))
      request.on('end', async () => {
        const body = bodies.at(-1) ?? '{}'
        const { address } = JSON.parse(body) as { address?: string }
        const relayed = address
          ? await fetch(`${origin}/v1/auth/nonce`, {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ address, domain: new URL(origin).host }),
            })
          : await fetch(origin)
        response.end(await relayed.text())
      })
    }).listen(0)
    const { port } = thief.address() as AddressInfo
    await expect(signInTo(`http://localhost:${port}`)).rejects.toThrow(/nothing was signed/)
    expect(bodies.join()).not.toContain('signature')
    thief.close()
  })
})

const wallets = {
  /** Answers the magic value of EIP-1271 to everything. */
  accepting: { address: `0x${'a1'.repeat(20)}`, code: '0x631626ba7e60e01b60005260206000f3' },
  /** Answers zero. */
  refusing: { address: `0x${'a2'.repeat(20)}`, code: '0x60206000f3' },
  /** Answers the magic value with more behind it in the word, with a second word, and four bytes alone. */
  padded: { address: `0x${'a6'.repeat(20)}`, code: '0x631626ba7e60e01b60010160005260206000f3' },
  longer: { address: `0x${'a7'.repeat(20)}`, code: '0x631626ba7e60e01b60005260406000f3' },
  shorter: { address: `0x${'a8'.repeat(20)}`, code: '0x631626ba7e60e01b60005260046000f3' },
  reverting: { address: `0x${'a3'.repeat(20)}`, code: '0x60006000fd' },
  /** Loops until its gas is gone. */
  burning: { address: `0x${'a4'.repeat(20)}`, code: '0x5b600056' },
  /** Holds no code. */
  absent: { address: `0x${'a5'.repeat(20)}`, code: null },
}

describe.skipIf(!hasAnvil)('signing in with a contract wallet', () => {
  beforeAll(async () => {
    for (const { address, code } of Object.values(wallets))
      if (code) await chain!.rpc('anvil_setCode', address, code)
  })

  let calls = 0
  /** Another caller each time: what one address may ask is small. */
  const address = () => `203.0.113.${(calls++ >> 4) % 256}`

  const post = async (path: string, body: object) => {
    const response = await fetch(new URL(path, hub.urls[0]), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': address() },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  const signInBy = async (address: string, signature: string) => {
    const nonce = await post('/v1/auth/nonce', { address, domain: new URL(origin).host })
    const { status, body } = await post('/v1/auth/siwe', { message: nonce.body.message, signature })
    return [status, body.error ?? body.address]
  }

  test.each([`0x${'11'.repeat(65)}`, `0x${'22'.repeat(300)}`])(
    'the wallet contract decides about the signature %.14s…',
    async (signature) => {
      const { accepting, refusing, padded, longer, shorter, reverting, burning } = wallets
      expect(await signInBy(accepting.address, signature)).toEqual([200, accepting.address])
      for (const { address } of [refusing, padded, longer, shorter, reverting, burning])
        expect(await signInBy(address, signature)).toEqual([401, 'bad_signature'])
    },
  )

  test('without contract code, the form of the signature decides', async () => {
    expect(await signInBy(wallets.absent.address, `0x${'11'.repeat(65)}`)).toEqual([401, 'bad_signature'])
    expect(await signInBy(wallets.absent.address, `0x${'22'.repeat(300)}`)).toEqual([400, 'invalid_field'])
  })

  test('503 unavailable while the chain does not answer', async () => {
    isNodeBroken = true
    expect(await signInBy(wallets.accepting.address, `0x${'11'.repeat(65)}`)).toEqual([503, 'unavailable'])
    isNodeBroken = false
    expect(await signInBy(wallets.accepting.address, `0x${'11'.repeat(65)}`)).toEqual([
      200,
      wallets.accepting.address,
    ])
  })
})
