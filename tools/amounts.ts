import { formatEther } from 'viem'
import type { Network } from './client/network.ts'

/** An amount in base units, in whole tokens. */
export const inTokens = ({ profile }: Pick<Network, 'profile'>, wei: string | bigint): string =>
  `${formatEther(BigInt(wei))} ${profile.token_symbol}`
