import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { HubError } from '../../sdk/errors.ts'
import { readNetwork } from './network.ts'

let server: Server | undefined
afterEach(() => void server?.close())

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const answering = (status: number, type: string, body: string): RequestListener =>
  ((_, response) => response.writeHead(status, { 'Content-Type': type }).end(body)) as RequestListener

describe('readNetwork says why a server is not a hub', () => {
  test.each([
    ['a page', answering(200, 'text/html', '<h1>It works</h1>'), 'its answer is not JSON'],
    ['a missing page', answering(404, 'text/html', '<h1>No</h1>'), 'it answers 404'],
    ['an error for GET, like a node of a chain', answering(405, 'text/plain', ''), 'it answers 405'],
    ['an empty answer', answering(204, 'text/plain', ''), 'its descriptor is wrong'],
    ['null', answering(200, 'application/json', 'null'), 'its descriptor is wrong'],
    ['a list', answering(200, 'application/json', '[1]'), 'its descriptor is wrong'],
    [
      'another API',
      answering(200, 'application/json', '{"chain":"main"}'),
      'its descriptor is wrong at chain',
    ],
    [
      'a chain without contracts',
      answering(200, 'application/json', '{"chain":{"id":1}}'),
      'its descriptor is wrong at chain.contracts',
    ],
  ])('%s', async (_, listener, reason) => {
    const hub = await serve(listener)
    const read = readNetwork(hub)
    await expect(read).rejects.toThrow(HubError)
    await expect(read).rejects.toThrow(
      `The server at ${hub} is not a hub: ${reason}. Name another with --hub URL or in HUB_URL.`,
    )
  })

  test.each([
    [{ profile: { prefix: 'A b' } }, /is not a hub: the profile of its descriptor is wrong: prefix must be/],
    [{ protocol: 'acme/1' }, /other names: its protocol is acme\/1, and this client, .* expects hub\/1/],
    [{ network: 'acme', profile: {} }, /other names: its network is acme, and its profile says hub-testnet/],
  ])('a hub with other names than this client: %j', async (names, message) => {
    const descriptor = { chain: { id: 31337, contracts: {} }, ...names }
    const hub = await serve(answering(200, 'application/json', JSON.stringify(descriptor)))
    await expect(readNetwork(hub)).rejects.toThrow(message)
  })

  test('and passes on the message of a hub that refuses', async () => {
    const body = JSON.stringify({ error: 'unavailable', message: 'Ask again in 5 s.', request_id: 'r' })
    const hub = await serve(answering(503, 'application/json', body))
    await expect(readNetwork(hub)).rejects.toThrow('/ answered 503 unavailable: Ask again in 5 s.')
  })
})
