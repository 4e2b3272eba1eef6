import { describe, expect, test } from 'vitest'
import { chainProfiles } from '../../../../../protocol/identity/index.ts'
import { NotYet } from '../refusal.ts'
import { chainFacts } from './chain-facts.ts'
import type { RpcCall } from './chain-rpc.ts'

const head = 9_000
const staking = `0x${'0b'.repeat(20)}`
const id = `0x${'01'.repeat(32)}`
const word = (value: string) => value.padStart(64, '0')
const bonded = `0x${word('0a'.repeat(20))}${word('')}${word('')}${word('9')}${word('')}`

/** A node without states of old blocks, which gives the logs of at most `logBlocks` blocks at once. */
function nodeOf(chainId: number, logBlocks: number, logs: readonly unknown[] = []) {
  const asked: [from: number, to: number][] = []
  const answer = ({ method, params }: RpcCall): unknown => {
    if (method === 'eth_chainId') return chainId
    if (method === 'eth_blockNumber') return head
    if (method === 'eth_call' && Number(params[1]) > head - 128) return bonded
    if (method !== 'eth_getLogs') throw new NotYet(`no ${method}`)
    const { fromBlock, toBlock } = params[0] as Record<string, string>
    if (Number(toBlock) - Number(fromBlock) >= logBlocks) throw new NotYet('the range is too large')
    asked.push([Number(fromBlock), Number(toBlock)])
    return logs
  }
  return { asked, facts: chainFacts(async (calls) => calls.map(answer), chainId) }
}

describe.each(chainProfiles)('a validator on $name', ({ chainId, logBlocks }) => {
  test('reads a day-old value from a node that keeps no states and returns the logs of few blocks', async () => {
    const { asked, facts } = nodeOf(chainId, logBlocks)
    const [found] = await facts.subscriptions(staking, [id], 1_000)
    expect(found?.collateral).toBe('9')
    expect(asked[0]?.[0]).toBe(1_001)
    expect(asked.at(-1)?.[1]).toBe(head)
    for (const [at, [from]] of asked.entries()) if (at > 0) expect(from).toBe(asked[at - 1]![1] + 1)
  })

  test('cannot tell the value if something was logged since', async () => {
    const { facts } = nodeOf(chainId, logBlocks, [{ topics: [id] }])
    await expect(facts.subscriptions(staking, [id], 1_000)).rejects.toThrow(NotYet)
  })
})
