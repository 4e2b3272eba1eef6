import type { Hex } from 'viem'
import type { Anvil } from './anvil.ts'

/** The number of logs that a transaction with 27 million gas can emit. */
const logsOfFlood = 34_000

/** A contract of a stranger that fills a block with empty logs of one topic, whenever it is called. */
export async function deployFlood(
  chain: Anvil,
  from: string,
  topic: string,
): Promise<{ fill: () => Promise<number> }> {
  const count = logsOfFlood.toString(16).padStart(8, '0')
  // PUSH4 count; loop: JUMPDEST, LOG1(0, 0, topic), subtract one, JUMPI loop; STOP
  const runtime = `63${count}5b7f${topic.slice(2)}5f5fa1600190038060055700`
  const creation: Hex = `0x61${(runtime.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${runtime}`
  const mined = async (transaction: object) => {
    const hash = await chain.rpc<string>('eth_sendTransaction', { from, ...transaction })
    await chain.rpc('evm_mine')
    return chain.rpc<{ contractAddress: string; logs: unknown[] }>('eth_getTransactionReceipt', hash)
  }
  const { contractAddress: to } = await mined({ data: creation, gas: '0x1e8480' })
  return { fill: async () => (await mined({ to, gas: '0x1c9c380' })).logs.length }
}
