import { decodeEventLog, type Hex } from 'viem'
import type { Log } from '../../durable-objects/indexer/chain.ts'
import { contractEvents, type Emitter } from './abi.ts'
import type { Contracts } from './contracts.ts'

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

/** The facts that tell events of this network from other logs. */
interface LogContext {
  contracts: Contracts
  /** Vaults that were opened before the first log. */
  vaults: readonly string[]
  /** Unix seconds of each block, by its hash. */
  times: ReadonlyMap<string, number>
}

/** The events of this network's contracts among the logs, in their order. A vault counts from its opening on. */
export function readEvents(logs: readonly Log[], { contracts, vaults, times }: LogContext): ChainEvent[] {
  const opened = new Set(vaults)
  return logs.flatMap((log) => {
    const emitter = emitterOf(log, contracts)
    if (emitter === null || (emitter === 'vault' && !opened.has(log.address))) return []
    const event = readLog(log, times.get(log.blockHash) ?? 0)
    if (event?.name === 'VaultCreated') opened.add(event.args.vault ?? '')
    return event ?? []
  })
}

/** The address of the vault that this log of the factory says was opened; null for any other log. */
export const openedVault = (log: Log, contracts: Contracts): string | null =>
  emitterOf(log, contracts) === 'vault_factory' ? (readLog(log, 0)?.args.vault ?? null) : null

export const vaultCandidates = (logs: readonly Log[], contracts: Contracts): string[] => [
  ...new Set(logs.flatMap((log) => (emitterOf(log, contracts) === 'vault' ? [log.address] : []))),
]

/** Reads a log from any address; null when it only shares a topic with an event of ours. */
function readLog(log: Log, blockTime: number): ChainEvent | null {
  const { event } = contractEvents.get(log.topics[0] ?? '') ?? {}
  if (event === undefined) return null
  try {
    const { eventName, args } = decodeEventLog({
      abi: [event],
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

/**
 * The contract that emitted a log, by first topic and address alone: anyone can fill blocks with such logs, and decoding them would cost
 * more than writing them. For `vault`, the caller also checks that it knows the address. Null for any other log.
 */
function emitterOf({ topics, address }: Log, contracts: Contracts): Emitter | null {
  const { emitter } = contractEvents.get(topics[0] ?? '') ?? {}
  if (emitter === undefined) return null
  return emitter === 'vault' || address === contracts[emitter] ? emitter : null
}

const textOf = (value: unknown): string => {
  const text = String(value)
  return /^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text
}
