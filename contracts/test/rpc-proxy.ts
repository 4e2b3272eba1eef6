import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface RpcRequest {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

export interface RpcAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** What the node makes of a request; null when it never answers. */
export type NodeBehaviour = (
  requests: readonly RpcRequest[],
  ask: (requests: readonly RpcRequest[]) => Promise<readonly RpcAnswer[]>,
) => Promise<readonly RpcAnswer[] | RpcAnswer | null>

export const refuse = ({ id }: RpcRequest, message: string): RpcAnswer => ({
  id,
  error: { code: -32_000, message },
})

/** A node in front of a chain, with limits and faults that the chain does not have. */
export async function startRpcProxy(chainUrl: string, behave: NodeBehaviour) {
  const ask = async (requests: readonly RpcRequest[]): Promise<readonly RpcAnswer[]> => {
    if (requests.length === 0) return []
    const response = await fetch(chainUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(requests),
    })
    return (await response.json()) as RpcAnswer[]
  }
  const server = createServer(async (request, response) => {
    const asked = (await json(request)) as RpcRequest | RpcRequest[]
    const answer = await behave([asked].flat(), ask)
    if (answer === null) return
    const isList = Array.isArray(answer) && Array.isArray(asked)
    response.end(JSON.stringify(isList || !Array.isArray(answer) ? answer : answer[0]))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((stopped) => {
        server.close(() => stopped())
        server.closeAllConnections()
      }),
  }
}
