import { text } from 'node:stream/consumers'
import { sendJson, startLocalServer } from './local-server.ts'

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

/** Has a node answer calls. */
export async function forwardCalls(nodeUrl: string, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  const response = await fetch(nodeUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(calls),
  })
  return (await response.json()) as RpcReply[]
}

/** Stands before a node and says something else where `change` does. */
export async function startRpcProxy(
  nodeUrl: string,
  change: (call: RpcCall, reply: RpcReply) => RpcReply | Promise<RpcReply>,
) {
  const answer = async (body: string): Promise<unknown> => {
    const asked = JSON.parse(body) as RpcCall | RpcCall[]
    const calls = [asked].flat()
    const replies = await forwardCalls(nodeUrl, calls)
    const changed: RpcReply[] = []
    for (const call of calls)
      changed.push(await change(call, replies.find(({ id }) => id === call.id) as RpcReply))
    return Array.isArray(asked) ? changed : changed[0]
  }
  return startLocalServer(async (request, response) => sendJson(response, await answer(await text(request))))
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
