/** Typed data of EIP-712 with its domain written out, as `eth_signTypedData_v4` takes it. */
export interface SignableData {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: `0x${string}`
  }
  readonly types: Record<string, { name: string; type: string }[]>
  readonly primaryType: string
  readonly message: Record<string, unknown>
}

/** Signs for its owner. An account of viem is one; {@link browserWallet} makes one from a wallet in a browser. */
export interface Wallet {
  readonly address: string
  /** Signs a text by EIP-191. */
  signMessage(text: { message: string }): Promise<string>
  /** Signs typed data by EIP-712. */
  signTypedData(data: SignableData): Promise<string>
}

/** The object that a browser wallet gives to a page (EIP-1193). A wallet client of viem is one too. */
export interface Provider {
  request(call: { method: string; params?: unknown }): Promise<unknown>
}

const hexOf = (text: string): string =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** A wallet behind a provider, which gets texts as hex of their bytes: not all wallets take them otherwise. @param address an account that it has given the page access to. */
export const browserWallet = (provider: Provider, address: string): Wallet => ({
  address,
  signMessage: async ({ message }) =>
    String(await provider.request({ method: 'personal_sign', params: [hexOf(message), address] })),
  signTypedData: async (data) =>
    String(
      await provider.request({ method: 'eth_signTypedData_v4', params: [address, JSON.stringify(data)] }),
    ),
})

/** How hubs write addresses. */
export const addressOf = ({ address }: Wallet): string => address.toLowerCase()

/** Whether a chain runs on one machine, where its time may be moved. A signature for it is worthless elsewhere. */
export const isLocalChain = (chainId: number): boolean => [31337, 1337].includes(chainId)
