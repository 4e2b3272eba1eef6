import type { Descriptor, Token } from '../hub.ts'
import { session } from '../wallet/session.svelte.ts'

/** The key of a query for the current wallet: no other wallet sees its data, and each finished action has it read again. */
export const mineKey = (...parts: readonly unknown[]) => ['mine', session.current?.address, ...parts]

/** The token of collateral, which every network has with 18 decimals. */
export const networkToken = ({ chain, profile }: Descriptor): Token => ({
  address: chain.token ?? '',
  symbol: profile.token_symbol,
  name: profile.token_name,
  decimals: 18,
})
