import { isAmount } from '../protocol/encoding/index.ts'
import { resolveProfile } from '../protocol/identity/index.ts'
import { UsageError } from '../scripts/command/errors.ts'
import type { Network } from '../scripts/hub/network.ts'
import type { Schemas } from '../sdk/index.ts'

/** Of the network's token and of the coin of the chain. To load viem for them takes longer than most commands. */
const usualDecimals = 18

/** A token as the hub shows it. */
export type Unit = Pick<Schemas['Token'], 'symbol' | 'decimals'>

/** An amount in base units, in whole units. */
export function inWhole(wei: string | bigint, decimals = usualDecimals): string {
  if (decimals === 0) return String(wei)
  const digits = String(wei).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
}

/** An amount in base units, in whole tokens of any kind. */
export const inUnits = ({ symbol, decimals }: Unit, wei: string | bigint): string =>
  `${inWhole(wei, decimals)} ${symbol}`

/** An amount in base units, in whole tokens. */
export const inTokens = ({ profile }: Pick<Network, 'profile'>, wei: string | bigint): string =>
  inUnits({ symbol: profile.token_symbol, decimals: usualDecimals }, wei)

/** An amount in the token of a network with the usual names. */
export function exampleAmount(tokens: number): string {
  return `${tokens} ${resolveProfile().token_symbol}`
}

/** The part of a tool's help about an amount. */
export const amountHelp = `with the symbol of the token, such as "${exampleAmount(500)}", or in base units: 10^18 are one token`

/** Digits, and a symbol after them where they count whole units. */
const amountPattern = /^(\d+|\d+\.\d{1,18})(?: ?([A-Za-z][\w.$-]*))?$/

/**
 * Reads an amount: base units, or whole units with their symbol.
 *
 * @param symbol of the unit that the option takes; null if it is not known yet, and any is taken.
 * @param decimals of that unit.
 * @returns Base units in decimal.
 * @throws {@link UsageError}
 */
export function readAmount(
  option: string,
  text: string,
  symbol: string | null,
  decimals = usualDecimals,
): string {
  const [, digits = '', unit] = amountPattern.exec(text.trim()) ?? []
  const wrong = (what: string) => new UsageError(`${option} must be ${what}, not "${text}".`)
  const example = symbol === null ? 'with the symbol of the token' : `such as "500 ${symbol}"`
  if (digits === '' || (unit === undefined && digits.includes('.')))
    throw wrong(`a number of base units, or an amount ${example}`)
  if (unit !== undefined && symbol !== null && unit.toLowerCase() !== symbol.toLowerCase())
    throw wrong(`in ${symbol}`)
  const [whole = '', part = ''] = digits.split('.')
  if (symbol !== null && part.length > decimals) throw wrong(`of at most ${decimals} decimals`)
  const wei = String(BigInt(unit === undefined ? digits : whole + part.padEnd(decimals, '0')))
  if (!isAmount(wei)) throw wrong('below 2^256 base units')
  return wei
}
