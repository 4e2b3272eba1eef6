import { encodeFunctionData, type Hex } from 'viem'
import { hubTokenFunctions } from '../../contracts/generated/functions.ts'
import type { HubContext } from '../context.ts'
import { unavailable } from '../errors.ts'

/** Every contract that takes signed actions has `nonces` as the token has it. */
const abi = hubTokenFunctions
const readGas = 100_000

/** The nonce an account signs next in a contract; in the token, that of its permits. Throws 503 `unavailable`. */
export const readNonce = (c: HubContext, contract: string, account: string): Promise<bigint> =>
  readNumber(c, contract, encodeFunctionData({ abi, functionName: 'nonces', args: [account as Hex] }))

/** The balance of an account in a token, in base units. Throws 503 `unavailable`. */
export const readBalance = (c: HubContext, token: string, account: string): Promise<bigint> =>
  readNumber(c, token, encodeFunctionData({ abi, functionName: 'balanceOf', args: [account as Hex] }))

async function readNumber(c: HubContext, contract: string, data: Hex): Promise<bigint> {
  try {
    const answer = await c.var.services.chain?.call(contract, data, readGas)
    if (answer && answer !== '0x') return BigInt(answer)
  } catch (error) {
    throw unavailable('The chain', error)
  }
  throw unavailable('The chain', new Error(`${contract} does not answer ${data.slice(0, 10)}`))
}
