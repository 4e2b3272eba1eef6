import type { LocalAccount } from 'viem/accounts'
import { encodeDeployData, getContractAddress } from 'viem/utils'
import { hubTokenAbi, hubTokenBytecode } from '../contracts/generated/contracts.ts'
import { readSender, sendCalls } from '../contracts/send.ts'

/** Deploys a token that is not that of the network. @param supply - All of it is the account's. @returns Its address in lower case. */
export async function deployOtherToken(
  rpcUrl: string,
  account: LocalAccount,
  symbol: string,
  supply: bigint,
): Promise<string> {
  const { address } = account
  const args = [symbol, symbol, symbol, address, address, address, address, supply] as const
  const data = encodeDeployData({ abi: hubTokenAbi, bytecode: hubTokenBytecode, args })
  const sender = await readSender(rpcUrl, address)
  await sendCalls(rpcUrl, account, sender, [{ data, gas: 3_000_000n }])
  return getContractAddress({ from: address, nonce: BigInt(sender.nonce) }).toLowerCase()
}
