import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { NoAnswer, OversizedAnswer, requestBytes, requestJson } from './http-json.ts'

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}/`
}

const bounds = { timeoutSeconds: 10, answerBytesMax: 1000 }
const json = { 'Content-Type': 'application/json; charset=utf-8' }

describe('requestJson', () => {
  test('sends method, headers and body, and reads the answer', async () => {
    const url = await serve((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const { method, headers } = request
        const told = [method, headers['content-type'], headers['x-more'], Buffer.concat(chunks).toString()]
        response.writeHead(201, { ...json, 'Retry-After': '7' }).end(JSON.stringify(told))
      })
    })
    const answer = await requestJson(url, {
      ...bounds,
      method: 'POST',
      headers: { 'X-More': 'yes' },
      body: '{"é":1}',
    })
    expect([answer.status, answer.value]).toEqual([201, ['POST', 'application/json', 'yes', '{"é":1}']])
    expect([answer.headers.get('Retry-After'), answer.headers.get('X-Other')]).toEqual(['7', null])
  })

  test('returns a redirect as the answer, and no value for a body that is not JSON', async () => {
    const url = await serve((_, response) =>
      response.writeHead(302, { Location: '/other', 'Content-Type': 'text/html' }).end('<p>'),
    )
    const { status, headers, value } = await requestJson(url, bounds)
    expect([status, headers.get('location'), value]).toEqual([302, '/other', undefined])
  })

  test('decompresses a body, and bounds its decompressed size', async () => {
    const packed = (text: string) =>
      serve((_, response) =>
        response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(gzipSync(text)),
      )
    expect((await requestJson(await packed('{"a":1}'), bounds)).value).toEqual({ a: 1 })
    const bomb = requestJson(await packed(' '.repeat(50_000_000)), bounds)
    await expect(bomb).rejects.toThrow(OversizedAnswer)
  })
})

describe('an answer that is cut off is refused with the reason', () => {
  test.each<[string, RequestListener, string, number?]>([
    ['nothing', () => {}, 'no data arrived within 0.2 s', 0.2],
    [
      'its head',
      (_, response) => response.writeHead(200, json).flushHeaders(),
      'no data arrived within',
      0.2,
    ],
    [
      'a change to another protocol',
      (request) =>
        request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
      'ended the connection without an answer',
    ],
    ['a cut connection', (request) => request.socket.destroy(), 'socket hang up'],
    [
      'half of the body',
      (_, response) => {
        response.writeHead(200, { ...json, 'Content-Length': '10' }).write('12345')
        setImmediate(() => response.destroy())
      },
      'aborted',
    ],
    [
      'half of a compressed body',
      (_, response) => {
        response
          .writeHead(200, { ...json, 'Content-Encoding': 'gzip' })
          .end(gzipSync('{"a":1}').subarray(0, 15))
      },
      'unexpected end of file',
    ],
  ])('%s', async (_, answer, reason, timeoutSeconds = 10) => {
    const asked = requestJson(await serve(answer), { ...bounds, timeoutSeconds })
    await expect(asked).rejects.toThrow(NoAnswer)
    await expect(asked).rejects.toThrow(reason)
  })

  test('no server', async () => {
    await expect(requestJson('http://127.0.0.1:9/', bounds)).rejects.toThrow('the connection is refused')
    await expect(requestJson('http://localhost:9/', bounds)).rejects.toThrow('the connection is refused')
    await expect(requestJson('http://nobody.invalid/', bounds)).rejects.toThrow('its host name is not known')
  })

  test('no TLS', async () => {
    const url = await serve((_, response) => response.end())
    await expect(requestJson(url.replace('http:', 'https:'), bounds)).rejects.toThrow('does not speak TLS')
  })
})

test('a signal ends a request', async () => {
  const stop = new AbortController()
  const url = await serve(() => stop.abort())
  await expect(requestBytes(url, null, { ...bounds, stop: stop.signal })).rejects.toThrow(NoAnswer)
})
