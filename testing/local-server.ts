import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a server on a free port of this machine. If `answer` rejects, the connection breaks. */
export async function startLocalServer(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
) {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Answers with JSON. */
export const sendJson = (response: ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
