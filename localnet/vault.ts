import { type Address, encodeFunctionData, type Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { hubTokenAbi, projectVaultAbi, vaultFactoryAbi } from '../contracts/generated/contracts.ts'
import { callBatch, RpcError } from '../contracts/json-rpc.ts'
import { type Call, readSender, SendError, sendCalls } from '../contracts/send.ts'
import { CommandError } from '../tools/command/errors.ts'
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

/** More than any of the calls costs. */
const callGas = 300_000n

/**
 * Puts tokens into the vault of a project, which is opened if it is not. These are the developer's own transactions: the
 * hub neither opens nor funds a vault.
 *
 * @throws {@link CommandError} when the developer has too few tokens, or the chain refuses.
 */
export async function fundVault(
  rpcUrl: string,
  developer: LocalAccount,
  vault: Vault,
  amountWei: bigint,
): Promise<void> {
  try {
    const isOpen = await prepare(rpcUrl, developer, vault, amountWei)
    const calls = [...(isOpen ? [] : [opening(vault)]), ...funding(vault, amountWei)]
    await sendCalls(rpcUrl, developer, await readSender(rpcUrl, developer.address), calls)
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new CommandError(`The vault ${vault.address} cannot be funded: ${reasonOf(error)}`)
  }
}

/** Whether the chain refused, or did not answer. */
const isRefusal = (error: unknown): boolean =>
  error instanceof SendError || error instanceof RpcError || (error as Error).cause instanceof Error

/** Whether the vault is open, once it is known that this is its chain and that there are tokens for it. */
async function prepare(
  rpcUrl: string,
  { address }: LocalAccount,
  vault: Vault,
  amountWei: bigint,
): Promise<boolean> {
  const balanceOf = encodeFunctionData({ abi: hubTokenAbi, functionName: 'balanceOf', args: [address] })
  const [chainId, code, balance] = await callBatch(rpcUrl, [
    ['eth_chainId'],
    ['eth_getCode', vault.address, 'latest'],
    ['eth_call', { to: vault.token, data: balanceOf }, 'latest'],
  ])
  if (Number(chainId) !== vault.chainId)
    throw new CommandError(`${rpcUrl} is chain ${Number(chainId)}; the vault is on chain ${vault.chainId}.`)
  if (BigInt(balance as Hex) < amountWei)
    throw new CommandError(
      `${address} has ${BigInt(balance as Hex)} base units of the token, fewer than the ${amountWei} for the vault.`,
    )
  return code !== '0x'
}

const opening = ({ projectId, factory, token, epochSecs, epochCap }: Vault): Call => ({
  to: factory as Address,
  data: encodeFunctionData({
    abi: vaultFactoryAbi,
    functionName: 'create',
    args: [projectId as Hex, token as Address, epochSecs, BigInt(epochCap)],
  }),
  gas: callGas,
})

const funding = ({ address, token }: Vault, amountWei: bigint): Call[] => [
  {
    to: token as Address,
    data: encodeFunctionData({
      abi: hubTokenAbi,
      functionName: 'approve',
      args: [address as Address, amountWei],
    }),
    gas: callGas,
  },
  {
    to: address as Address,
    data: encodeFunctionData({ abi: projectVaultAbi, functionName: 'fund', args: [amountWei] }),
    gas: callGas,
  },
]
