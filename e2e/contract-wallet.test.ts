import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, hasAnvil, startAnvil } from '../testing/anvil.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'

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
  let chain: Anvil
  let hub: TestHub

  beforeAll(async () => {
    chain = await startAnvil()
    const rpcUrl = chain.url
    for (const { address, code } of Object.values(wallets))
      if (code) {
        const body = JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'anvil_setCode',
          params: [address, code],
        })
        await fetch(rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
      }
    hub = await startTestHub({ CHAIN_RPC_URL: rpcUrl })
  })

  afterAll(async () => {
    await chain?.stop()
    await hub?.stop()
  })

  let calls = 0
  /** Another caller each time: what one address may ask is small. */
  const address = () => `203.0.113.${(calls++ >> 4) % 256}`

  const post = async (at: TestHub, path: string, body: object) => {
    const response = await fetch(new URL(path, at.urls[0]), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': address() },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  const signIn = async (address: string, signature: string, at = hub) => {
    const nonce = await post(at, '/v1/auth/nonce', { address, domain: new URL(at.origin).host })
    const { status, body } = await post(at, '/v1/auth/siwe', { message: nonce.body.message, signature })
    return [status, body.error ?? body.address]
  }

  test.each([`0x${'11'.repeat(65)}`, `0x${'22'.repeat(300)}`])(
    'the wallet contract decides about the signature %.14s…',
    async (signature) => {
      const { accepting, refusing, padded, longer, shorter, reverting, burning } = wallets
      expect(await signIn(accepting.address, signature)).toEqual([200, accepting.address])
      for (const { address } of [refusing, padded, longer, shorter, reverting, burning])
        expect(await signIn(address, signature)).toEqual([401, 'bad_signature'])
    },
  )

  test('without contract code, the form of the signature decides', async () => {
    expect(await signIn(wallets.absent.address, `0x${'11'.repeat(65)}`)).toEqual([401, 'bad_signature'])
    expect(await signIn(wallets.absent.address, `0x${'22'.repeat(300)}`)).toEqual([400, 'invalid_field'])
  })

  test('503 unavailable while the chain does not answer', async () => {
    const broken = createServer((_, response) => response.writeHead(500).end())
    await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
    const other = await startTestHub({
      CHAIN_RPC_URL: `http://127.0.0.1:${(broken.address() as AddressInfo).port}`,
    })
    try {
      expect(await signIn(wallets.accepting.address, `0x${'11'.repeat(65)}`, other)).toEqual([
        503,
        'unavailable',
      ])
    } finally {
      await other.stop()
      broken.close()
    }
  })
})
