import type { Address, Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { type Call, readSender, sendCalls } from '../contracts/send.ts'

/** A call as the hub gives it to who sends it without the relay. */
export interface DirectCall {
  readonly to: string
  readonly data: string
}

/** More than a call costs that is about one thing. */
const callGas = 400_000n

/**
 * Sends calls of an account itself, all at once, and waits until they are mined.
 *
 * @param gas that each of them may take.
 * @throws {@link SendError}, and `RpcError` when the node refuses one.
 */
export async function sendDirect(
  rpcUrl: string,
  account: LocalAccount,
  calls: readonly DirectCall[],
  gas = callGas,
): Promise<void> {
  const withGas = calls.map(({ to, data }): Call => ({ to: to as Address, data: data as Hex, gas }))
  await sendCalls(rpcUrl, account, await readSender(rpcUrl, account.address), withGas)
}
