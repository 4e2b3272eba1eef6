import {
  type Abi,
  decodeEventLog,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
} from 'viem'
import { hubTokenAbi, projectVaultAbi } from '../../contracts/generated/contracts.ts'
import { callBatch } from '../../contracts/json-rpc.ts'

export interface PostedEpoch {
  readonly epoch: bigint
  readonly merkleRoot: string
  readonly receiptHash: string
  readonly miner: bigint
  readonly developer: bigint
  readonly treasury: bigint
  readonly releaseAt: bigint
}

/** What the chain has of one vault. */
export interface VaultBooks {
  readonly posted: readonly PostedEpoch[]
  readonly claimed: readonly { readonly epoch: bigint; readonly miner: string; readonly amount: bigint }[]
  readonly fees: readonly { readonly epoch: bigint; readonly developer: bigint; readonly treasury: bigint }[]
  readonly funded: readonly { readonly amount: bigint }[]
  readonly summary: {
    readonly balance: bigint
    readonly reserved: bigint
    readonly totalFunded: bigint
    readonly totalPaid: bigint
  }
  /** Tokens that the vault really has. */
  readonly held: bigint
}

interface Log {
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
}

/** Reads a vault from the chain itself, past every proxy. */
export async function readVault(rpcUrl: string, vault: string, token: string): Promise<VaultBooks> {
  const events = async <T>(eventName: string): Promise<T[]> => {
    const topics = encodeEventTopics({ abi: projectVaultAbi, eventName } as never)
    const filter = { fromBlock: 'earliest', toBlock: 'latest', address: vault, topics }
    const [logs] = (await callBatch(rpcUrl, [['eth_getLogs', filter]])) as [Log[]]
    return logs.map(({ topics: [...found], data }) => {
      const decoded = decodeEventLog({ abi: projectVaultAbi, topics: found as Log['topics'], data })
      return decoded.args as unknown as T
    })
  }
  return {
    posted: await events('EpochPosted'),
    claimed: await events('Claimed'),
    fees: await events('FeesPaid'),
    funded: await events('VaultFunded'),
    summary: await readContract(rpcUrl, vault, projectVaultAbi, 'summary'),
    held: await readBalance(rpcUrl, token, vault),
  }
}

export const readBalance = (rpcUrl: string, token: string, account: string): Promise<bigint> =>
  readContract(rpcUrl, token, hubTokenAbi, 'balanceOf', account)

/** @returns What a call answers as of the newest block. */
export async function readContract<T>(
  rpcUrl: string,
  to: string,
  abi: Abi,
  functionName: string,
  ...args: unknown[]
): Promise<T> {
  const data = encodeFunctionData({ abi, functionName, args })
  const [answer] = await callBatch(rpcUrl, [['eth_call', { to, data }, 'latest']])
  return decodeFunctionResult({ abi, functionName, data: answer as Hex }) as T
}
