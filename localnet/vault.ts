import type { Abi, Address, Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { hubTokenAbi, projectVaultAbi, vaultFactoryAbi } from '../contracts/generated/contracts.ts'
import { callBatch, RpcError } from '../contracts/json-rpc.ts'
import { type Call, readSender, SendError, sendCalls } from '../contracts/send.ts'
import { CommandError } from '../scripts/command/errors.ts'
import { reasonOf } from './errors.ts'

export interface Vault {
  readonly chainId: number
  readonly projectId: string
  readonly address: string
  readonly factory: string
  readonly token: string
  readonly epochSecs: number
  /** Most that an epoch pays, in base units. */
  readonly epochCap: string
}

/** The contract keeps the cap in 128 bits; a manifest may have a project pay more. */
export const epochCapEnd = 2n ** 128n

/** More than any of the calls costs. */
const callGas = 300_000n

/**
 * Fills the vault of a project up to an amount; the vault is opened if it is not. These are the developer's
 * own transactions: the hub neither opens nor funds a vault.
 *
 * @returns The base units that were put in; 0 if the vault holds as much or more.
 * @throws {@link CommandError} when the developer has too few tokens, epochs pay more than a vault can, or the chain refuses.
 */
export async function fundVault(
  rpcUrl: string,
  developer: LocalAccount,
  vault: Vault,
  amountWei: bigint,
): Promise<bigint> {
  try {
    const held = await readHeld(rpcUrl, vault)
    const missing = amountWei > (held ?? 0n) ? amountWei - (held ?? 0n) : 0n
    await requireTokens(rpcUrl, developer, vault, missing)
    const calls = [
      ...(held === null ? [opening(vault)] : []),
      ...(missing > 0n ? funding(vault, missing) : []),
    ]
    if (calls.length > 0)
      await sendCalls(rpcUrl, developer, await readSender(rpcUrl, developer.address), calls)
    return missing
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new CommandError(`The vault ${vault.address} cannot be funded: ${reasonOf(error)}`)
  }
}

/** Whether the chain refused, or did not answer. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof SendError || error instanceof RpcError || (error as Error).cause instanceof Error

/** The balance in the books of a vault, after a check that this is its chain. Null while the vault is not open. */
async function readHeld(rpcUrl: string, vault: Vault): Promise<bigint | null> {
  const data = encodeFunctionData({ abi: projectVaultAbi, functionName: 'summary' })
  const [chainId, answer] = await callBatch(rpcUrl, [
    ['eth_chainId'],
    ['eth_call', { to: vault.address, data }, 'latest'],
  ])
  if (Number(chainId) !== vault.chainId)
    throw new CommandError(`${rpcUrl} is chain ${Number(chainId)}; the vault is on chain ${vault.chainId}.`)
  // The answer of an address without code.
  if (answer === '0x') return null
  return decodeFunctionResult({ abi: projectVaultAbi, functionName: 'summary', data: answer as Hex }).balance
}

async function requireTokens(rpcUrl: string, { address }: LocalAccount, { token }: Vault, missing: bigint) {
  const data = encodeFunctionData({ abi: hubTokenAbi, functionName: 'balanceOf', args: [address] })
  const [balance] = await callBatch(rpcUrl, [['eth_call', { to: token, data }, 'latest']])
  if (BigInt(balance as Hex) < missing)
    throw new CommandError(
      `${address} has ${BigInt(balance as Hex)} base units of the token; the vault needs ${missing}.`,
    )
}

function opening({ projectId, factory, token, epochSecs, epochCap }: Vault): Call {
  const cap = BigInt(epochCap)
  if (cap >= epochCapEnd)
    throw new CommandError(
      `An epoch of this project may pay ${cap} base units, and a vault pays less than 2^128: publish a version with a lower consensus.economics.daily_emission.`,
    )
  return callOf(factory, vaultFactoryAbi, 'create', projectId, token, epochSecs, cap)
}

const funding = ({ address, token }: Vault, amountWei: bigint): Call[] => [
  callOf(token, hubTokenAbi, 'approve', address, amountWei),
  callOf(address, projectVaultAbi, 'fund', amountWei),
]

export const callOf = (to: string, abi: Abi, functionName: string, ...args: unknown[]): Call => ({
  to: to as Address,
  data: encodeFunctionData({ abi, functionName, args }),
  gas: callGas,
})
