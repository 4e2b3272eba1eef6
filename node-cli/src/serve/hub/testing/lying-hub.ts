import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from '../../../../../testing/node/shared.ts'

export { sendJson } from '../../../../../testing/local-server.ts'

/** Answers a request in the place of a hub. */
export type Answerer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface LyingHub {
  readonly origin: string
  readonly server: Server
  /** The method and path of every request, in order. */
  readonly requests: string[]
  /** Request headers, by method and path. */
  readonly headers: Map<string, IncomingMessage['headers']>
}

/** A server that answers in the place of a hub, until the test is over. */
export async function startLyingHub(answer: Answerer): Promise<LyingHub> {
  const requests: string[] = []
  const headers = new Map<string, IncomingMessage['headers']>()
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`
    requests.push(call)
    headers.set(call, request.headers)
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, server, requests, headers }
}

/** Answers these bytes under a type. */
export const answering =
  (type: string, body: string | Uint8Array, status = 200): Answerer =>
  (_, response) =>
    void response.writeHead(status, { 'Content-Type': type }).end(body)
