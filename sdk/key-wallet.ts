/** A wallet of a private key, for programs that have no wallet library. */
import { structs } from '../protocol/actions/index.ts'
import {
  evmAddress,
  hashTypedData,
  signEvmDigest,
  signPersonalMessage,
  type TypedDataDomain,
  type TypedMessage,
} from '../protocol/signatures/index.ts'
import { HubError } from './errors.ts'
import type { Wallet } from './wallets.ts'

/** Signs the sign-ins and actions of a hub. @param key `0x` and 64 hex digits. */
export const keyWallet = (key: string): Wallet => ({
  address: evmAddress(key),
  signMessage: async ({ message }) => signPersonalMessage(key, message),
  signTypedData: async ({ domain, primaryType, message }) => {
    if (!Object.hasOwn(structs, primaryType)) throw new HubError(`A hub has no action ${primaryType}.`)
    const { members } = structs[primaryType as keyof typeof structs]
    return signEvmDigest(
      key,
      hashTypedData(domain as TypedDataDomain, primaryType, members, message as TypedMessage),
    )
  },
})
