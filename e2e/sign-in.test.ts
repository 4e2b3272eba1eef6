import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pickPort } from '../localnet/port.ts'
import { privateKeys } from '../localnet/private-keys.ts'
import { evmAddress } from '../protocol/signatures/index.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'

let hub: TestHub
let origin: string

beforeAll(async () => {
  hub = await startTestHub()
  origin = hub.origin
})

const signInTo = async (target: string) => signIn(await readNetwork(target), privateKeys.developer)

afterAll(() => hub.stop())

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
