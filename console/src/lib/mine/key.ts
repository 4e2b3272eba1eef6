import type { Descriptor, Token } from '../hub.ts'
import { session } from '../wallet/session.svelte.ts'

/** What is read for one wallet is not shown to another, and is read again when one of its actions is over. */
export const mineKey = (...parts: readonly unknown[]) => ['mine', session.current?.address, ...parts]

/** The token of collateral, which every network has with 18 decimals. */
export const networkToken = ({ chain, profile }: Descriptor): Token => ({
  address: chain.token ?? '',
  symbol: profile.token_symbol,
  name: profile.token_name,
  decimals: 18,
})
