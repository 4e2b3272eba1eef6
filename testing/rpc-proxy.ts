import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RpcCall {
  id: number
  method: string
  params: unknown[]
}

export interface RpcReply {
  id: number
  jsonrpc: '2.0'
  result?: unknown
  error?: { code: number; message: string }
}

export interface RpcProxy {
  url: string
  stop: () => Promise<void>
}

/** Stands before a node and says something else where `change` does. */
export async function startRpcProxy(
  nodeUrl: string,
  change: (call: RpcCall, reply: RpcReply) => RpcReply | Promise<RpcReply>,
): Promise<RpcProxy> {
  const answer = async (body: string): Promise<unknown> => {
    const asked = JSON.parse(body) as RpcCall | RpcCall[]
    const calls = [asked].flat()
    const response = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(calls),
    })
    const replies = (await response.json()) as RpcReply[]
    const changed: RpcReply[] = []
    for (const call of calls)
      changed.push(await change(call, replies.find(({ id }) => id === call.id) as RpcReply))
    return Array.isArray(asked) ? changed : changed[0]
  }
  const server = createServer(async (request, response) => {
    try {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk as Uint8Array)
      const text = JSON.stringify(await answer(Buffer.concat(chunks).toString('utf8')))
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(text)
    } catch {
      request.socket.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** A node that, as public ones do, refuses a question whose answer has more logs than this. */
export const refusingLogsAbove =
  (logsMax: number) =>
  (_: RpcCall, reply: RpcReply): RpcReply =>
    Array.isArray(reply.result) && reply.result.length > logsMax
      ? {
          id: reply.id,
          jsonrpc: '2.0',
          error: { code: -32_005, message: `query returned more than ${logsMax} results` },
        }
      : reply
