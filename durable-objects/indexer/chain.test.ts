import { expect, test, vi } from 'vitest'
import { JsonRpc, RpcUnreachable } from '../chain/json-rpc.ts'
import { IndexerChain } from './chain.ts'

function nodeOf(result: unknown): IndexerChain {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const asked = JSON.parse(String(init?.body)) as { id: number } | { id: number }[]
    const reply = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result })
    return Response.json(Array.isArray(asked) ? asked.map(reply) : reply(asked))
  })
  return new IndexerChain(new JsonRpc('http://chain.test', 1_000), [])
}

test.each([[{}], [null], ['0x1'], [{ transactions: null }]])(
  'if a node answers %j instead of logs, the answer says nothing about the chain',
  async (result) => {
    const chain = nodeOf(result)
    await expect(chain.logs(1, 2, [])).rejects.toThrow(RpcUnreachable)
    await expect(chain.logsOfBlocks(['0x1'], [])).rejects.toThrow(RpcUnreachable)
    await expect(chain.logsOfReceipts('0x1', () => true)).rejects.toThrow(RpcUnreachable)
  },
)
