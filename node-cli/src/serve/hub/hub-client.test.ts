import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { resolveProfile } from '../../../../protocol/identity/index.ts'
import { descriptorOf } from '../../../../testing/node/hub-answers.ts'
import { hubClient } from './hub-client.ts'
import { parseHubUrl } from './hub-url.ts'
import { learnProfile, readNetwork } from './network.ts'
import { type Answerer, answering, sendJson, startLyingHub } from './testing/lying-hub.ts'

const read = async (answer: Answerer) => {
  const { origin } = await startLyingHub(answer)
  return hubClient(new URL(origin)).call({ method: 'GET', target: '/v1/status' }, (value) => value)
}

describe('parseHubUrl', () => {
  test.each([
    'https://hub.example',
    'https://hub.example:8443/',
    'http://127.0.0.1:8787',
    'http://[::1]:1',
    'http://localhost:1',
  ])('accepts %s', (text) => expect(parseHubUrl(text).origin).toBe(text.replace(/\/$/, '')))

  test.each([
    ['hub.example', 'must be a URL such as https://hub.example, not hub.example'],
    ['ftp://hub.example', 'must be a URL'],
    ['http://hub.example', 'must begin with https: unless the hub is on this machine'],
    ['http://192.168.1.2', 'must begin with https:'],
    ['https://me:secret@hub.example', 'must not hold a name or a password'],
    ['https://hub.example/v1', 'must end after the host: https://hub.example'],
    ['https://hub.example/?a=b', 'must end after the host'],
  ])('refuses %s', (text, message) => {
    expect(() => parseHubUrl(text)).toThrowError(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(message) }),
    )
  })
})

describe('an answer that no hub would send is refused with the reason', () => {
  test.each<[string, Answerer, string]>([
    [
      'an endless answer',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' })
        const more = () => {
          while (response.write(' '.repeat(65_536)));
          response.once('drain', more)
        }
        more()
      },
      'sent more than 1048576 bytes; a hub does not send such answers',
    ],
    ['another type', answering('text/html', '{}'), 'like a hub: GET /v1/status returned 200 with text/html'],
    ['no type', (_, response) => void response.writeHead(200).end('{}'), 'returned 200 with no content type'],
    ['broken JSON', answering('application/json', '{"a":'), 'does not answer like a hub'],
    [
      'a redirect',
      (_, response) => void response.writeHead(302, { Location: 'https://elsewhere.example/' }).end(),
      'redirects to https://elsewhere.example/, which nodectl does not follow',
    ],
    ['a 404 of something else', answering('text/plain', 'no', 404), 'returned 404 with text/plain'],
  ])('%s', async (_, answer, message) => {
    await expect(read(answer)).rejects.toMatchObject({
      failure: 'invalid_answer',
      isPassing: false,
      message: expect.stringContaining(message),
    })
  })
})

describe('downloads', () => {
  const download = async (answer: Answerer, bytesMax = 10) => {
    const { origin } = await startLyingHub(answer)
    return hubClient(new URL(origin)).download('/v1/modules/0x/hbc', {
      type: 'application/octet-stream',
      answerBytesMax: bytesMax,
      timeoutSeconds: 10,
    })
  }
  const sends = (type: string, bytes: number, status = 200) => answering(type, Buffer.alloc(bytes, 7), status)

  test('return the bytes as they came, up to their bound', async () => {
    expect([...(await download(sends('application/octet-stream', 10)))]).toEqual(Array(10).fill(7))
    await expect(download(sends('application/octet-stream', 11))).rejects.toMatchObject({
      failure: 'invalid_answer',
      message: expect.stringContaining('sent more than 10 bytes'),
    })
  })

  test.each([
    ['of another type', sends('text/html', 1), 'invalid_answer', false],
    ['that does not exist', sends('application/json', 2, 404), 'invalid_answer', false],
    ['of a hub that cannot answer now', sends('application/json', 2, 503), 'unreachable', true],
  ])('a file %s is refused', async (_, answer, failure, isPassing) => {
    await expect(download(answer)).rejects.toMatchObject({ failure, isPassing })
  })
})

describe('failures that may pass', () => {
  test('no server answers', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await new Promise((resolve) => server.close(resolve))
    const call = hubClient(new URL(origin)).call({ method: 'GET', target: '/' }, (value) => value)
    await expect(call).rejects.toMatchObject({
      failure: 'unreachable',
      isPassing: true,
      message: `no hub answers on ${origin}: the connection is refused`,
    })
  })

  test('the connection ends early', async () => {
    await expect(read((_, response) => void response.destroy())).rejects.toMatchObject({ isPassing: true })
  })

  test('a proxy has no hub behind it', async () => {
    const answer: Answerer = (_, response) => void response.writeHead(502).end('bad gateway')
    await expect(read(answer)).rejects.toMatchObject({ isPassing: true, status: 502 })
  })

  test.each([
    ['120', 120],
    ['1000000', 3600],
    ['soon', null],
  ])('a hub is busy, and says when to retry: %s', async (retryAfter, seconds) => {
    const answer: Answerer = (_, response) => {
      response.setHeader('Retry-After', retryAfter)
      sendJson(response, { error: 'rate_limited', message: 'Too many requests.' }, 429)
    }
    await expect(read(answer)).rejects.toMatchObject({
      failure: 'refused',
      code: 'rate_limited',
      isPassing: true,
      retryAfterSeconds: seconds,
    })
  })

  test('the signal ends calls', async () => {
    const stop = new AbortController()
    const { origin } = await startLyingHub(() => stop.abort())
    const call = hubClient(new URL(origin), stop.signal).call(
      { method: 'GET', target: '/' },
      (value) => value,
    )
    await expect(call).rejects.toMatchObject({ failure: 'unreachable' })
  })
})

test('a refusal contains the message of the hub', async () => {
  const answer: Answerer = (_, response) =>
    sendJson(
      response,
      { error: 'invalid_binding', message: 'Too old.', details: { reason: 'stale_binding' } },
      422,
    )
  await expect(read(answer)).rejects.toMatchObject({
    failure: 'refused',
    code: 'invalid_binding',
    message: 'the hub refuses: Too old.',
    reason: 'stale_binding',
    isPassing: false,
  })
})

describe('readNetwork', () => {
  const profile = resolveProfile()
  const networkOf = async (change: (origin: string) => unknown) => {
    const { origin } = await startLyingHub((request, response) =>
      sendJson(response, change(`http://${request.headers.host}`)),
    )
    return readNetwork(hubClient(new URL(origin)), profile)
  }
  const coordinator = { node_id: 'node-0000000000000000', public_key: `0x${'00'.repeat(32)}` }

  test('accepts the hub of the network, by any name of this machine', async () => {
    expect(await networkOf((origin) => descriptorOf(origin.replace('localhost', '127.0.0.1')))).toEqual({
      coordinatorKey: null,
      nodectlMin: '1.0.0',
    })
  })

  test.each<[string, (origin: string) => unknown, string]>([
    [
      'another network',
      (origin) => descriptorOf(origin, { network: 'other' }),
      'is the hub of other, not of hub-testnet',
    ],
    ['chain 1', (origin) => descriptorOf(origin, { chain: { id: 1 } }), 'is on the chain 1, not on 31337'],
    ['another protocol', (origin) => descriptorOf(origin, { protocol: 'hub/2' }), 'speaks hub/2, not hub/1'],
    [
      'names of which one is another',
      (origin) => descriptorOf(origin, { profile: { ...profile, header_prefix: 'X-Acme-' } }),
      'has the header_prefix X-Acme-, not X-Hub-',
    ],
    [
      'names that no network has',
      (origin) => descriptorOf(origin, { profile: { ...profile, prefix: 'A b' } }),
      'the hub announces names that no network can have: prefix must be',
    ],
    ['another address', () => descriptorOf('https://hub.example'), 'its address is https://hub.example'],
    ['no descriptor', () => [], 'an answer of the hub is not an object'],
    ['a descriptor without chain', (origin) => descriptorOf(origin, { chain: {} }), 'without chain.id'],
    [
      'a coordinator without a key',
      (origin) => descriptorOf(origin, { coordinator: {} }),
      'without coordinator.public_key',
    ],
    [
      'a weak key of the coordinator',
      (origin) => descriptorOf(origin, { coordinator }),
      'without coordinator.public_key',
    ],
  ])('refuses %s', async (_, change, message) => {
    await expect(networkOf(change)).rejects.toMatchObject({
      name: 'HubError',
      failure: 'invalid_answer',
      message: expect.stringContaining(message),
    })
  })
})

describe('learnProfile', () => {
  const own = resolveProfile()
  const acme = resolveProfile({ service: 'Acme', network: own.network })
  test.each([
    ['takes the names that the hub tells', { profile: acme }, false, acme],
    ['keeps those that a file says', { profile: acme }, true, own],
    ['takes none of another network', { profile: { ...acme, network: 'acme-testnet' } }, false, own],
    ['takes none of another chain', { profile: { ...acme, chain_id: 1 } }, false, own],
    ['keeps the default where the hub tells none', {}, false, own],
  ])('%s', async (_, told, areGiven, expected) => {
    const { origin } = await startLyingHub((request, response) =>
      sendJson(response, descriptorOf(`http://${request.headers.host}`, told)),
    )
    const names = { profile: own, areGiven }
    expect((await learnProfile(hubClient(new URL(origin)), names)).profile).toEqual(expected)
  })
})
