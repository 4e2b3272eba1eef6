import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evmAddress } from '../protocol/signatures/index.ts'
import { privateKeys } from './accounts.ts'
import { bundleHub } from './bundle.ts'
import { type Hub, startHub } from './hub.ts'
import { probePort } from './port.ts'
import { signIn } from './session.ts'

let hub: Hub
let origin: string

beforeAll(async () => {
  const port = await probePort(0)
  origin = `http://localhost:${port}`
  const vars = { HUB_SECRET: 'a secret that only tests know, long enough', BASE_URL: origin }
  hub = await startHub({ script: await bundleHub(), port, vars })
})

afterAll(() => hub.stop())

describe('signIn', () => {
  test('gives a session of the wallet', async () => {
    const { token, address } = await signIn(origin, privateKeys.developer)
    expect(address).toBe(evmAddress(privateKeys.developer))
    const session = await fetch(`${origin}/v1/auth/session`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    expect(await session.json()).toMatchObject({ address })
  })

  test('says that no hub answers', async () => {
    const nobody = `http://localhost:${await probePort(0)}`
    await expect(signIn(nobody, privateKeys.developer)).rejects.toThrow(
      /No hub answers .*npm start.*--hub URL/,
    )
  })

  test('says that what answers is no hub, and that a hub speaks no TLS', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0)
    const { port } = other.address() as AddressInfo
    await expect(signIn(`http://localhost:${port}`, privateKeys.developer)).rejects.toThrow(
      /is no hub: \/ gives no JSON/,
    )
    other.close()
    await expect(signIn(origin.replace('http', 'https'), privateKeys.developer)).rejects.toThrow(
      /begins with http:/,
    )
  })

  test('signs nothing for a hub that asks for a sign-in elsewhere', async () => {
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
    await expect(signIn(`http://localhost:${port}`, privateKeys.developer)).rejects.toThrow(
      /nothing was signed/,
    )
    expect(bodies.join()).not.toContain('signature')
    thief.close()
  })
})
