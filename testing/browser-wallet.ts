import type { Page } from 'playwright-core'
import { createWalletClient, type Hex, http, isHex, keccak256, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

/** The behaviour of a test's wallet in its next calls. */
export interface WalletMood {
  /** Refuses whatever is asked to be signed, as a person does. */
  refuses: boolean
  chainId: number
  /** The replacement of each transaction, after its hash was told: the same for a higher fee, or nothing of it. */
  replacesBy: 'same' | 'nothing' | null
  /** Told instead of the page, which then waits: its tab is closed before the wallet answers. */
  tellsInstead: (() => void) | null
  /** How often it was asked to sign. */
  asked: number
}

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

/**
 * Puts a wallet into a page: an EIP-6963 provider, whose keys stay here and are used by viem.
 *
 * @param wallet - With an RPC URL it sends transactions too.
 *
 * @returns Its mood, to be changed while the page runs.
 */
export async function installWallet(
  page: Page,
  { name, rdns, keys, rpcUrl }: { name: string; rdns: string; keys: readonly string[]; rpcUrl?: string },
): Promise<WalletMood> {
  const accounts = keys.map((key) => privateKeyToAccount(key as `0x${string}`))
  const mood: WalletMood = { refuses: false, chainId: 31337, replacesBy: null, tellsInstead: null, asked: 0 }
  const channel = `wallet_${rdns.replaceAll(/\W/g, '_')}`
  await page.exposeFunction(channel, (call: Call) => answer(accounts, mood, call, rpcUrl))
  await page.addInitScript(
    `{
      const provider = {
        async request(call) {
          const { result, error } = await window[${JSON.stringify(channel)}](call)
          if (error) throw error
          return result
        },
        on() {},
        removeListener() {},
      }
      const info = { uuid: ${JSON.stringify(crypto.randomUUID())}, name: ${JSON.stringify(name)}, rdns: ${JSON.stringify(rdns)}, icon: 'data:image/svg+xml,' }
      const announce = () =>
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
      addEventListener('eip6963:requestProvider', announce)
      announce()
    }`,
  )
  return mood
}

/** Transactions that were replaced, by hash: nodes know them for a while. */
const replaced = new Map<unknown, object>()

async function sendTransaction(
  account: PrivateKeyAccount,
  { to, data }: Record<'to' | 'data', Hex>,
  { replacesBy }: WalletMood,
  rpcUrl: string | undefined,
): Promise<string> {
  const client = createWalletClient({ account, chain: foundry, transport: http(rpcUrl) })
  if (replacesBy === null) return client.sendTransaction({ to, data })
  const first = await client.prepareTransactionRequest({ to, data })
  const hash = keccak256(await client.signTransaction(first))
  replaced.set(hash, { hash, from: account.address, nonce: toHex(first.nonce), to, input: data })
  await client.sendTransaction({
    ...{ to, data, nonce: first.nonce, maxFeePerGas: 2n * first.maxFeePerGas },
    ...(replacesBy === 'nothing' && { to: account.address, data: '0x' }),
  })
  return hash
}

async function answer(
  accounts: readonly PrivateKeyAccount[],
  mood: WalletMood,
  { method, params = [] }: Call,
  rpcUrl: string | undefined,
): Promise<Answer> {
  const account = (address: unknown) =>
    accounts.find((one) => one.address.toLowerCase() === String(address).toLowerCase())
  const sign = async (
    address: unknown,
    by: (account: PrivateKeyAccount) => Promise<string>,
  ): Promise<Answer> => {
    mood.asked++
    const answered = await answerTo(address, by)
    if (mood.tellsInstead === null) return answered
    mood.tellsInstead()
    return new Promise(() => {})
  }
  const answerTo: typeof sign = async (address, by) => {
    const signer = account(address)
    if (mood.refuses) return { error: { code: 4001, message: 'User rejected the request.' } }
    return signer ? { result: await by(signer) } : { error: { code: 4100, message: 'Unauthorized.' } }
  }
  switch (method) {
    case 'eth_accounts':
    case 'eth_requestAccounts':
      return { result: accounts.map(({ address }) => address) }
    case 'eth_chainId':
      return { result: `0x${mood.chainId.toString(16)}` }
    case 'wallet_switchEthereumChain':
      return { error: { code: 4902, message: 'Unrecognized chain ID.' } }
    case 'wallet_addEthereumChain':
      mood.chainId = Number((params[0] as { chainId: string }).chainId)
      return { result: null }
    case 'personal_sign':
      // As strict as any: a text comes as hex of its bytes.
      if (!isHex(params[0])) return { error: { code: -32602, message: 'The text is not 0x and hex digits.' } }
      return sign(params[1], (signer) => signer.signMessage({ message: { raw: params[0] as Hex } }))
    case 'eth_signTypedData_v4': {
      const data = JSON.parse(String(params[1])) as Parameters<PrivateKeyAccount['signTypedData']>[0]
      // As wallets do.
      if (Number((data.domain as { chainId: number }).chainId) !== mood.chainId)
        return { error: { code: -32602, message: 'Provided chainId must match the active chainId.' } }
      return sign(params[0], (signer) => signer.signTypedData(data))
    }
    case 'eth_sendTransaction': {
      const { from, ...call } = params[0] as Record<'from' | 'to' | 'data', Hex>
      return sign(from, (signer) => sendTransaction(signer, call, mood, rpcUrl))
    }
    case 'eth_blockNumber':
    case 'eth_getBlockByNumber':
    case 'eth_getTransactionByHash':
    case 'eth_getTransactionCount':
    case 'eth_getTransactionReceipt':
      return {
        result:
          replaced.get(method === 'eth_getTransactionByHash' && params[0]) ??
          (await http(rpcUrl)({}).request({ method, params })),
      }
    default:
      return { error: { code: 4200, message: `The wallet does not know ${method}.` } }
  }
}
