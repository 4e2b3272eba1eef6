import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import { isLineOf, zeroAddress } from '../../protocol/encoding/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import type { HubContext } from '../context.ts'
import { unavailable } from '../errors.ts'
import { spendAddressBudget } from '../middleware/rate-limit.ts'
import type { Token } from '../stores/schema/index.ts'

const readGas = 100_000
const textLengthMax = 64
const decimalsMax = 36

/** In what amounts of the network's token are counted. */
export const networkUnit = ({ token_symbol }: Profile): Pick<Token, 'symbol' | 'decimals'> => ({
  symbol: token_symbol,
  decimals: 18,
})

export const networkToken = (profile: Profile, address: string): Token => ({
  address,
  ...networkUnit(profile),
  name: profile.token_name,
})

/** The coin of the chain, shown as a token. */
export const nativeToken = ({ symbol, name }: Pick<Token, 'symbol' | 'name'>): Token => ({
  address: zeroAddress,
  symbol,
  name,
  decimals: 18,
})

/** A token as records show it; null if it is unusable. The profile names the network's own. @throws {@link ApiError} 503 `unavailable`. */
export async function readToken(c: HubContext, address: string): Promise<Token | null> {
  const { PROFILE: profile, CHAIN_CONTRACTS: contracts } = c.var.settings
  if (contracts === undefined || contracts.token === address) return networkToken(profile, address)
  await spendAddressBudget(c, 'chain_calls', 3)
  const [symbol, name, decimals] = await Promise.all([
    ask(c, address, 'symbol'),
    ask(c, address, 'name'),
    ask(c, address, 'decimals'),
  ])
  // The deployer of a token chooses its texts, and all users read them beside amounts.
  const isText = isLineOf({ min: 1, max: textLengthMax })
  if (!isText(symbol) || !isText(name)) return null
  if (typeof decimals !== 'number' || decimals > decimalsMax) return null
  return { address, symbol, name, decimals }
}

async function ask(c: HubContext, address: string, functionName: 'symbol' | 'name' | 'decimals') {
  const call = encodeFunctionData({ abi: erc20Abi, functionName })
  const data = await c.var.services.chain?.call(address, call, readGas).catch((error: unknown) => {
    throw unavailable('The chain', error)
  })
  try {
    return decodeFunctionResult({ abi: erc20Abi, functionName, data: data ?? '0x' })
  } catch {
    return null
  }
}
