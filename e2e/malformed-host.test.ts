import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../testing/hub.ts'

describe.each([
  ['a hub', true],
  ['a local network', false],
])('%s', (_, callersNameAddress) => {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startTestHub({}, { callersNameAddress })
  })
  afterAll(() => hub?.stop())

  const ask = async (host: string) => {
    const socket = connect(Number(new URL(hub.origin).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET /v1/modules?limit=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    return text(socket)
  }

  test.each(['a b', '[::1', 'x:99999', '<script>', '%'])(
    '400 bad_request if the Host header is not a host: %s',
    async (host) => {
      const answer = await ask(host)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('"error":"bad_request"')
      expect(answer).toContain('The Host header is not a host name')
    },
  )

  test('any host name is accepted', async () => {
    expect(await ask('hub.example')).toMatch(/^HTTP\/1\.1 200 /)
  })
})
