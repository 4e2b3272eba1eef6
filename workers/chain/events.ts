import { decodeEventLog, type Hex } from 'viem'
import type { Log } from '../../durable-objects/indexer/chain.ts'
import type { Contracts } from '../env.ts'
import { contractEvents, emitterOf } from './abi.ts'

/** One event of a contract of this network, in the shape it is stored in. */
export interface ChainEvent {
  blockHash: string
  logIndex: number
  blockNumber: number
  /** Unix seconds. */
  blockTime: number
  txHash: string
  contract: string
  name: string
  /** Integers in decimal, addresses and bytes in lower-case hex. */
  args: Record<string, string>
}

/** Reads a log, whoever emitted it; null when it only shares a topic with an event of ours. */
export function readLog(log: Log, blockTime: number): ChainEvent | null {
  try {
    const { eventName, args } = decodeEventLog({
      abi: contractEvents,
      data: log.data as Hex,
      topics: log.topics as [Hex, ...Hex[]],
    })
    return {
      blockHash: log.blockHash,
      logIndex: log.logIndex,
      blockNumber: log.blockNumber,
      blockTime,
      txHash: log.transactionHash,
      contract: log.address,
      name: eventName ?? '',
      args: Object.fromEntries(Object.entries(args ?? {}).map(([name, value]) => [name, textOf(value)])),
    }
  } catch {
    return null
  }
}

/** Whether the emitter is the contract of this network that may say this; anyone can emit the same bytes. */
export function isFromItsContract(
  { name, contract }: ChainEvent,
  contracts: Contracts,
  isVault: (address: string) => boolean,
): boolean {
  const emitter = emitterOf(name)
  if (emitter === undefined) return false
  return emitter === 'vault' ? isVault(contract) : contract === contracts[emitter]
}

const textOf = (value: unknown): string => {
  const text = String(value)
  return /^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text
}
