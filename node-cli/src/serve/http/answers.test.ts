import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendAnswer } from './answers.ts'

const listeners = (response: ServerResponse) =>
  ['close', 'drain', 'error'].map((event) => response.listenerCount(event))

test('a long answer waits for its reader without leaving listeners behind', async () => {
  const piece = Buffer.alloc(256 * 1024)
  const seen: number[][] = []
  async function* pieces(response: ServerResponse) {
    for (let sent = 0; sent < 30; sent++) {
      seen.push(listeners(response))
      yield piece
    }
  }
  const server = createServer(async (request, response) => {
    await sendAnswer(request, response, { status: 200, body: pieces(response) }, false)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect((await answer.arrayBuffer()).byteLength).toBe(30 * piece.length)
  expect(new Set(seen.map(String)).size).toBe(1)
})

test('an answer whose reader goes away ends', async () => {
  const ended = Promise.withResolvers<void>()
  const gone = new AbortController()
  async function* pieces() {
    for (;;) yield Buffer.alloc(256 * 1024)
  }
  const server = createServer(async (request, response) => {
    await sendAnswer(request, response, { status: 200, body: pieces() }, false)
    ended.resolve()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { signal: gone.signal })
  gone.abort()
  await ended.promise
})
