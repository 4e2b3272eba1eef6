import type { Abi, Hex } from 'viem'
import { decodeEventLog, decodeFunctionResult, encodeEventTopics, encodeFunctionData } from 'viem/utils'
import type { Anvil } from '../../contracts/anvil.ts'
import type { ContractAddresses } from '../../contracts/deploy-options.ts'
import { hubTokenAbi, projectVaultAbi, stakingAbi } from '../../contracts/generated/contracts.ts'
import { callBatch } from '../../contracts/json-rpc.ts'
import type { Schemas } from '../../sdk/index.ts'

/** A payout as the hub lists it, with the proof that its vault takes. */
export type Claim = Schemas['Claim']

export interface ContractCall {
  to: string
  abi: Abi
  functionName: string
  args: readonly unknown[]
}

interface Contracts {
  readonly contracts: ContractAddresses
}

export const tokenCall = (
  { contracts }: Contracts,
  functionName: string,
  ...args: unknown[]
): ContractCall => ({ to: contracts.token, abi: hubTokenAbi, functionName, args })

export const vaultCall = (to: string, functionName: string, ...args: unknown[]): ContractCall => ({
  to,
  abi: projectVaultAbi,
  functionName,
  args,
})

/** Brings payouts of one vault to it with their proofs, as anyone may. */
export const claimManyCall = (vault: string, claims: readonly Claim[]): ContractCall =>
  vaultCall(
    vault,
    'claimMany',
    claims.map(({ epoch, account, amount, proof }) => ({
      epoch: BigInt(epoch),
      miner: account,
      amount: BigInt(amount),
      proof,
    })),
  )

export const stakingCall = (
  { contracts }: Contracts,
  functionName: string,
  ...args: unknown[]
): ContractCall => ({ to: contracts.staking, abi: stakingAbi, functionName, args })

export const encodeCall = ({ to, abi, functionName, args }: ContractCall): { to: string; data: Hex } => ({
  to,
  data: encodeFunctionData({ abi, functionName, args }),
})

export interface VaultView {
  readonly balance: bigint
  readonly reserved: bigint
  readonly totalFunded: bigint
  readonly totalPaid: bigint
}

const readsAtOnce = 400

/** Reads contracts from the chain itself, past every proxy. @returns The answers as of the newest block, in order. */
async function readCalls(rpcUrl: string, calls: readonly ContractCall[]): Promise<unknown[]> {
  const results: unknown[] = []
  for (let start = 0; start < calls.length; start += readsAtOnce) {
    const part = calls.slice(start, start + readsAtOnce)
    const answers = await callBatch(
      rpcUrl,
      part.map((call) => ['eth_call', encodeCall(call), 'latest']),
    )
    for (const [at, { abi, functionName }] of part.entries())
      results.push(decodeFunctionResult({ abi, functionName, data: answers[at] as Hex }))
  }
  return results
}

export const readCall = async <T>(rpcUrl: string, call: ContractCall): Promise<T> =>
  (await readCalls(rpcUrl, [call]))[0] as T

interface Log {
  readonly address: string
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
}

/** Every event of this name that the chain has, of one contract or of all, with the contract that emitted it. */
export async function readEvents<T>(
  rpcUrl: string,
  abi: Abi,
  eventName: string,
  address?: string,
): Promise<(T & { readonly address: string })[]> {
  const topics = encodeEventTopics({ abi, eventName } as never)
  const filter = { fromBlock: '0x0', topics, ...(address !== undefined && { address }) }
  const [logs] = (await callBatch(rpcUrl, [['eth_getLogs', filter]])) as [Log[]]
  return logs.map(({ address: emitter, topics: found, data }) => ({
    ...(decodeEventLog({ abi, topics: found, data }).args as unknown as T),
    address: emitter,
  }))
}

/** More than any call costs: hundred claims take 6.3 million. */
const gas = '0x989680'
/** Above every base fee of this chain. */
const feeWei = `0x${(10n ** 12n).toString(16)}`
const balanceWei = `0x${(10n ** 24n).toString(16)}`

/** A chain that signs for every account. */
export function accessChain({ url, rpc }: Pick<Anvil, 'url' | 'rpc'>) {
  const last = new Map<string, Promise<unknown>>()
  /** Two transactions of one account at once would get the same nonce. */
  const inTurn = (from: string, work: () => Promise<void>): Promise<void> => {
    const done = (last.get(from) ?? Promise.resolve()).catch(() => {}).then(work)
    last.set(from, done)
    return done
  }
  return {
    rpc,
    read: (calls: readonly ContractCall[]) => readCalls(url, calls),
    readOne: <T>(call: ContractCall) => readCall<T>(url, call),
    readEvents: <T>(abi: Abi, eventName: string) => readEvents<T>(url, abi, eventName),
    /** Sends transactions of an account, one after the other; whether they do anything is for the caller to see. */
    send: (from: string, calls: readonly ContractCall[]) =>
      inTurn(from, async () => {
        await rpc('anvil_setBalance', from, balanceWei)
        for (const call of calls)
          await rpc('eth_sendTransaction', {
            from,
            ...encodeCall(call),
            gas,
            maxFeePerGas: feeWei,
            maxPriorityFeePerGas: '0x3b9aca00',
          })
      }),
  }
}
