import { text } from 'node:stream/consumers'
import { sendJson, startLocalServer } from '../../testing/local-server.ts'
import { forwardCalls, type RpcCall, type RpcReply } from '../../testing/rpc-proxy.ts'
import type { Draws } from '../harness/draws.ts'
import type { SlotChain } from './slot-chain.ts'

/** A gateway sends requests to nodes that have the newest blocks some slots later. */
export const lagBlocksMax = 3
/** Requests in a row that a rate limit refuses at times, so that callers go to another provider. */
const refusedInARow = 8

export interface Provider {
  readonly url: string
  readonly calls: ReadonlyMap<string, number>
  readonly refused: { rateLimited: number; logRanges: number }
  /** From here on requests meet its rate limit, and its nodes lag. */
  begin(): void
  /** All of its nodes have the newest block, until another comes. */
  catchUp(): void
  stop(): Promise<void>
}

/** An RPC provider of a chain: some blocks late at times, with a limit for log ranges and one for requests. */
export async function startProvider(
  chain: SlotChain,
  random: Draws,
  percentLimited: number,
): Promise<Provider> {
  const calls = new Map<string, number>()
  const refused = { rateLimited: 0, logRanges: 0 }
  let isUnderWay = false
  let refusing = 0
  let lag = { head: 0, blocks: 0 }

  const isLimited = (): boolean => {
    if (!isUnderWay) return false
    if (refusing === 0 && random.percent(percentLimited)) refusing = random.percent(10) ? refusedInARow : 1
    if (refusing === 0) return false
    refusing -= 1
    refused.rateLimited += 1
    return true
  }
  /** The head of the node that answers; it never goes back but with the chain. */
  const headNow = (): number => {
    if (!isUnderWay) return chain.head
    if (chain.head !== lag.head)
      lag = {
        head: chain.head,
        blocks: Math.min(random.below(lagBlocksMax + 1), lag.blocks + chain.head - lag.head),
      }
    return chain.head - Math.max(0, lag.blocks)
  }

  const answer = async (body: string): Promise<unknown> => {
    const asked = JSON.parse(body) as RpcCall | RpcCall[]
    await chain.still()
    const head = headNow()
    const replies: RpcReply[] = []
    const forwarded: RpcCall[] = []
    for (const call of [asked].flat()) {
      calls.set(call.method, (calls.get(call.method) ?? 0) + 1)
      const own = ownReply(call, head, chain.profile.logBlocks, refused)
      if (own !== null) replies.push({ id: call.id, jsonrpc: '2.0', ...own })
      else forwarded.push(asOf(call, head, chain.finalOf(head)))
    }
    if (forwarded.length > 0)
      for (const reply of await forwardCalls(chain.url, forwarded)) {
        const { method } = forwarded.find(({ id }) => id === reply.id) as RpcCall
        replies.push(isAfter(method, reply.result, head) ? { ...reply, result: null } : reply)
      }
    return Array.isArray(asked) ? replies : replies[0]
  }
  const server = await startLocalServer(async (request, response) => {
    const body = await text(request)
    if (isLimited()) return response.writeHead(429).end('too many requests')
    return sendJson(response, await answer(body))
  })
  return {
    url: server.url,
    calls,
    refused,
    begin() {
      isUnderWay = true
    },
    catchUp() {
      lag = { head: chain.head, blocks: 0 }
    },
    stop: server.stop,
  }
}

const quantity = (value: number): string => `0x${value.toString(16)}`

/** The reply of the provider itself; null for a call that it forwards. */
function ownReply(
  { method, params: [filter] }: RpcCall,
  head: number,
  logBlocks: number,
  refused: Provider['refused'],
): Pick<RpcReply, 'result'> | Required<Pick<RpcReply, 'error'>> | null {
  if (method === 'eth_blockNumber') return { result: quantity(head) }
  const { fromBlock, toBlock = 'latest' } = (filter ?? {}) as { fromBlock?: string; toBlock?: string }
  if (method !== 'eth_getLogs' || fromBlock === undefined) return null
  const end = toBlock === 'latest' ? head : Number(toBlock)
  if (end - Number(fromBlock) < logBlocks) return null
  refused.logRanges += 1
  return { error: { code: -32_602, message: `query exceeds max block range ${logBlocks}` } }
}

/** The same call of a node that has the chain up to `head`. */
function asOf(call: RpcCall, head: number, final: number): RpcCall {
  const { method, params } = call
  const blockOf = (given: unknown): unknown =>
    given === 'latest' ? quantity(head) : given === 'finalized' || given === 'safe' ? quantity(final) : given
  if (method === 'eth_getLogs') {
    const filter = params[0] as Record<string, string>
    return 'fromBlock' in filter
      ? {
          ...call,
          params: [{ ...filter, toBlock: quantity(Math.min(head, Number(filter.toBlock ?? head))) }],
        }
      : call
  }
  return method.startsWith('eth_get') || method === 'eth_call'
    ? { ...call, params: params.map(blockOf) }
    : call
}

/** Whether this is of a block that the node does not have yet. */
function isAfter(method: string, result: unknown, head: number): boolean {
  const { number, blockNumber } = (result ?? {}) as { number?: string; blockNumber?: string }
  const own = method.startsWith('eth_getBlockBy') ? number : blockNumber
  return own !== undefined && own !== null && Number(own) > head
}
