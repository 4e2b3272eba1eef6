import { type Abi, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { Anvil } from '../../../contracts/anvil.ts'
import { callBatch } from '../../../contracts/json-rpc.ts'

/** A call of a contract, to read or to send. */
export interface ContractCall {
  to: string
  abi: Abi
  functionName: string
  args: readonly unknown[]
}

export interface ChainAccess {
  rpc: Anvil['rpc']
  /** What calls answer as of the newest block, in their order. */
  read: (calls: readonly ContractCall[]) => Promise<unknown[]>
  readOne: <T>(call: ContractCall) => Promise<T>
  /** Sends transactions of an account, one after the other; whether they do anything is for the caller to see. */
  send: (from: string, calls: readonly ContractCall[]) => Promise<void>
}

/** More than any call costs: hundred claims take 6.3 million. */
const gas = '0x989680'
/** Above every base fee of this chain. */
const feeWei = `0x${(10n ** 12n).toString(16)}`
const balanceWei = `0x${(10n ** 24n).toString(16)}`
const readsAtOnce = 400

/** A chain that signs for every account. */
export function accessChain({ url, rpc }: Pick<Anvil, 'url' | 'rpc'>): ChainAccess {
  const dataOf = ({ abi, functionName, args }: ContractCall): Hex =>
    encodeFunctionData({ abi, functionName, args })
  const read = async (calls: readonly ContractCall[]): Promise<unknown[]> => {
    const results: unknown[] = []
    for (let start = 0; start < calls.length; start += readsAtOnce) {
      const part = calls.slice(start, start + readsAtOnce)
      const answers = await callBatch(
        url,
        part.map((call) => ['eth_call', { to: call.to, data: dataOf(call) }, 'latest']),
      )
      for (const [at, { abi, functionName }] of part.entries())
        results.push(decodeFunctionResult({ abi, functionName, data: answers[at] as Hex }))
    }
    return results
  }
  const last = new Map<string, Promise<unknown>>()
  /** Two transactions of one account at once would get the same nonce. */
  const inTurn = (from: string, work: () => Promise<void>): Promise<void> => {
    const done = (last.get(from) ?? Promise.resolve()).catch(() => {}).then(work)
    last.set(from, done)
    return done
  }
  return {
    rpc,
    read,
    readOne: async <T>(call: ContractCall) => (await read([call]))[0] as T,
    send: (from, calls) =>
      inTurn(from, async () => {
        await rpc('anvil_setBalance', from, balanceWei)
        for (const call of calls)
          await rpc('eth_sendTransaction', {
            from,
            to: call.to,
            data: dataOf(call),
            gas,
            maxFeePerGas: feeWei,
            maxPriorityFeePerGas: '0x3b9aca00',
          })
      }),
  }
}
