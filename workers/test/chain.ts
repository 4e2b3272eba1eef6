import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeFunctionData, type Hex } from 'viem'
import { inject, vi } from 'vitest'
import { hubTokenAbi, stakingAbi } from '../../contracts/generated/contracts.ts'
import {
  type GaslessPayload,
  hashAction,
  type PrimaryType,
  type TypedData,
} from '../../protocol/actions/index.ts'
import { signEvmDigest } from '../../protocol/signatures/index.ts'
import { services } from '../services.ts'
import { networkNow } from './callers.ts'
import { bodyOf } from './client.ts'

/** The deployed chain of this run, or null if the machine has none. */
export const chain = inject('chain')

/** One call of the chain's node. */
export async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await bodyOf<{ result: T; error?: { message: string } }>(
    fetch(chain?.rpcUrl ?? '', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }),
  )
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

/** A transaction of an account that the node signs for. It is in a block when this returns, a while after it was taken. */
export async function sendMined(transaction: object): Promise<{ readonly contractAddress: string }> {
  const hash = await rpc<string>('eth_sendTransaction', transaction)
  for (;;) {
    const receipt = await rpc<{ contractAddress: string } | null>('eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt
  }
}

/** Calls a contract in such a transaction. */
export async function send(from: string | undefined, to: string | undefined, data: string): Promise<void> {
  await sendMined({ from, to, data, gas: '0xf4240' })
}

/** Lets the node sign for an account, which gets what the transactions cost. */
export async function asAccount<T>(account: string, act: () => Promise<T>): Promise<T> {
  await rpc('anvil_setBalance', account, `0x${(10n ** 18n).toString(16)}`)
  await rpc('anvil_impersonateAccount', account)
  const result = await act()
  await rpc('anvil_stopImpersonatingAccount', account)
  return result
}

/** Gives tokens to an account. */
export async function mint(account: string, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: hubTokenAbi, functionName: 'mint', args: [account as Hex, amount] })
  await send(chain?.deployer, chain?.contracts.token, data)
}

/** Signs typed data as a wallet does. */
export const signTypedData = (key: string, { domain, primaryType, message }: TypedData) =>
  signEvmDigest(key, hashAction(domain, primaryType as PrimaryType, message))

/** The body that carries a payload and its signatures back. */
export const signedPayload = (key: string, { typed_data, permit }: GaslessPayload) => ({
  typed_data,
  signature: signTypedData(key, typed_data),
  ...(permit && { permit, permit_signature: signTypedData(key, permit) }),
})

/** Lets what was relayed become final, and the events be indexed. */
export async function finalizeRelays(): Promise<void> {
  const { relayer, arbiter } = services(env)
  const clients = [relayer, arbiter].filter((one) => one !== null)
  // A block may come one turn later than the transaction that was sent for it.
  do {
    await turn()
    // The relayer looks at its actions when the index has a new block.
    await readChain()
    for (const { signer } of clients) await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${signer}`))
  } while ((await Promise.all(clients.map((one) => one.health()))).some(({ open }) => open > 0))
  await readChain()
}

/** Lets workerd look at its timers, which the queue delivers by, and which it does once nothing else is to be done. */
const turn = () => new Promise((resolve) => setTimeout(resolve))

/** Lets the hub index what is in blocks. */
export async function readChain(): Promise<void> {
  await services(env).indexer?.wake()
  await runDurableObjectAlarm(env.CHAIN_INDEXER.getByName('31337'))
}

/** Lets the hub index all that is in blocks, and its clock be that of the newest of them. */
export async function followChain(): Promise<void> {
  const newest = await rpc<{ number: string; timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  const hasFollowed = async () => {
    await readChain()
    const indexed = (await services(env).chainIndex.cursor())?.number ?? -1
    return indexed >= Number(newest.number) && (await networkNow()) >= Number(newest.timestamp)
  }
  await vi.waitUntil(hasFollowed, { interval: 100 })
}

/** Lets time pass on the chain, which the hub follows. */
export async function passTime(seconds: number): Promise<void> {
  await rpc('evm_increaseTime', seconds)
  await rpc('evm_mine')
  await followChain()
}

/** Lets unbonding end on the chain. */
export async function passUnbonding(): Promise<void> {
  const data = encodeFunctionData({ abi: stakingAbi, functionName: 'unbondingSecs' })
  const seconds = await rpc<string>('eth_call', { to: chain?.contracts.staking, data }, 'latest')
  await passTime(Number(seconds))
}
