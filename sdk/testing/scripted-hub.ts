import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One call, as it arrived. */
export interface SeenCall {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers one call; what it leaves open stays open. */
export type Reply = (response: ServerResponse, call: SeenCall) => void

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))

export const refusal = (
  status: number,
  error: string,
  headers?: Record<string, string>,
  details?: object,
): Reply => json(status, { error, message: 'No.', request_id: 'r-1', ...(details && { details }) }, headers)

/** Breaks the connection before the answer begins. */
export const cutBefore: Reply = (response) => response.destroy()

/** Breaks the connection in the middle of the body. */
export const cutWithin: Reply = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
  response.write('{"half":', () => response.destroy())
}

/** A server that answers as a script says, its last line again and again, and keeps what it was sent. */
export async function scriptedHub(...replies: Reply[]) {
  const calls: SeenCall[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const call = { method, url, headers, body: await text(request) }
    calls.push(call)
    const reply = replies[Math.min(calls.length, replies.length) - 1] as Reply
    reply(response, call)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
