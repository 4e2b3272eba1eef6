import { json } from 'node:stream/consumers'
import { sendJson, startLocalServer } from '../../testing/local-server.ts'
import { forwardCalls, type RpcCall, type RpcReply } from '../../testing/rpc-proxy.ts'

type Answer = Omit<RpcReply, 'jsonrpc'>

/** Returns the answer of the node to a request; null if it never answers. */
export type NodeBehaviour = (
  requests: readonly RpcCall[],
  ask: (requests: readonly RpcCall[]) => Promise<readonly Answer[]>,
) => Promise<readonly Answer[] | Answer | null>

export const refuse = ({ id }: RpcCall, message: string): Answer => ({
  id,
  error: { code: -32_000, message },
})

/** A node in front of a chain, with limits and faults that the chain does not have. */
export const startRpcProxy = (chainUrl: string, behave: NodeBehaviour) =>
  startLocalServer(async (request, response) => {
    const asked = (await json(request)) as RpcCall | RpcCall[]
    const answer = await behave([asked].flat(), (requests) => forwardCalls(chainUrl, requests))
    if (answer === null) return
    const isList = Array.isArray(answer) && Array.isArray(asked)
    sendJson(response, isList || !Array.isArray(answer) ? answer : answer[0])
  })
