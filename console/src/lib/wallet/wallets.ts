/** The wallets of a visitor: those that announce themselves (EIP-6963), and on a local network the accounts with public keys. */
import { type EIP6963ProviderDetail, requestProviders } from 'mipd'
import { anvilKeys } from '../../../../protocol/identity/index.ts'
import { keyWallet } from '../../../../sdk/key-wallet.ts'
import { browserWallet, isLocalChain, type Provider, type Wallet } from '../../../../sdk/wallets.ts'
import type { Descriptor } from '../hub.ts'
import { type Call, type Sent, succeeds } from './mined.ts'
import { isUnknownChain, WalletProblem, walletProblemOf } from './problems.ts'
import type { WalletName } from './session.svelte.ts'

export interface Announced {
  readonly rdns: string
  readonly name: string
  readonly provider: Provider
}

const announced = new Map<string, Announced>()
/** For a wallet that announces itself later than this page asks. */
const announcementMs = 2_000

/** Tells each wallet of this browser, also those that come later. @returns Ends it. */
export function watchWallets(tell: (all: readonly Announced[]) => void): () => void {
  const add = ({ info, provider }: EIP6963ProviderDetail) => {
    if (!announced.has(info.rdns))
      announced.set(info.rdns, {
        rdns: info.rdns,
        name: info.name.slice(0, 60),
        provider: provider as Provider,
      })
    tell([...announced.values()])
  }
  return requestProviders(add as never) ?? (() => {})
}

/** Accounts that a local network names in its summary. */
export const developmentAccounts = [
  ['developer', 2],
  ['miner', 3],
  ['operator', 1],
] as const

/** Keys that everybody has sign only where the hub says that its network is on this machine. */
export const hasDevelopmentAccounts = ({ chain, hosts }: Descriptor): boolean =>
  isLocalChain(chain.id) && ['localhost', '127.0.0.1'].includes(new URL(hosts.api).hostname)

export const developmentWallet = (index: number): Wallet => keyWallet(anvilKeys[index] as string)

/** Asks a wallet for the accounts that it lets this page see. */
export async function accountsOf({ provider }: Announced): Promise<string[]> {
  try {
    const accounts = await provider.request({ method: 'eth_requestAccounts' })
    return Array.isArray(accounts) ? accounts.map((account) => String(account).toLowerCase()) : []
  } catch (error) {
    throw walletProblemOf(error)
  }
}

async function announcementOf(rdns: string): Promise<Announced | undefined> {
  let end = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  const found = await new Promise<Announced | undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), announcementMs)
    end = watchWallets((all) => {
      const one = all.find((wallet) => wallet.rdns === rdns)
      if (one !== undefined) resolve(one)
    })
  })
  clearTimeout(timer)
  end()
  return found
}

/** The wallet that signed in, to sign again. @throws {@link WalletProblem} */
export async function openWallet(address: string, name: WalletName, descriptor: Descriptor): Promise<Wallet> {
  if (name.kind === 'development') {
    if (!hasDevelopmentAccounts(descriptor)) throw new WalletProblem('missing')
    return developmentWallet(name.index)
  }
  const found = announced.get(name.rdns) ?? (await announcementOf(name.rdns))
  if (found === undefined) throw new WalletProblem('missing')
  if (!(await accountsOf(found)).includes(address)) throw new WalletProblem('other_account')
  return walletOf(found, address, descriptor.chain.id)
}

/** Signs typed data on the chain of the network alone. */
export function walletOf({ provider }: Announced, address: string, chainId: number): Wallet {
  const wallet = browserWallet(provider, address)
  return {
    address,
    signMessage: (text) => wallet.signMessage(text).catch(throwAsProblem),
    signTypedData: async (data) => {
      const chain = await provider.request({ method: 'eth_chainId' }).catch(throwAsProblem)
      if (Number(chain) !== chainId) throw new WalletProblem('wrong_chain')
      return wallet.signTypedData(data).catch(throwAsProblem)
    },
  }
}

/** Sends transactions of an account, whose fees it pays. */
export interface Sender {
  /** @param asked is told before the wallet is asked, which may send the call although nobody hears its answer. */
  send(call: Call, asked: (unheard: Sent) => void): Promise<Sent>
  /** Waits until a block has the call, as {@link succeeds} does. @returns Whether the chain did what it says. */
  succeeds(sent: Sent, call: Call): Promise<boolean>
}

/** How often a wallet is asked whether a block has a transaction. */
const receiptEveryMs = 1_000

/** The wallet of the browser that signed in, to send transactions. @throws {@link WalletProblem} */
export async function openSender(
  address: string,
  name: WalletName,
  { chain }: Descriptor,
  signal: AbortSignal,
): Promise<Sender> {
  const found =
    name.kind === 'browser' ? (announced.get(name.rdns) ?? (await announcementOf(name.rdns))) : undefined
  if (found === undefined) throw new WalletProblem('missing')
  if (!(await accountsOf(found)).includes(address)) throw new WalletProblem('other_account')
  const ask = (method: string, params?: unknown) =>
    found.provider.request({ method, params }).catch(throwAsProblem)
  const checkChain = async () => {
    if (Number(await ask('eth_chainId')) !== chain.id) throw new WalletProblem('wrong_chain')
  }
  /** Another chain knows nothing of a transaction of this one, and its blocks and nonces say nothing of it. */
  const askChain = async (method: string, params?: unknown) => {
    const answer = await ask(method, params)
    await checkChain()
    return answer
  }
  return {
    send: async ({ to, data }, asked) => {
      signal.throwIfAborted()
      await checkChain()
      // Before it is sent: later the block that has it may be there already.
      const nextBlock = Number(await askChain('eth_blockNumber')) + 1
      signal.throwIfAborted()
      asked({ hash: null, own: null, nextBlock })
      const hash = String(await ask('eth_sendTransaction', [{ from: address, to, data, value: '0x0' }]))
      return { hash, own: null, nextBlock }
    },
    succeeds: (sent, call) =>
      succeeds(askChain, address, sent, call, async () => {
        await new Promise((resolve) => setTimeout(resolve, receiptEveryMs))
        signal.throwIfAborted()
      }),
  }
}

function throwAsProblem(error: unknown): never {
  throw walletProblemOf(error)
}

/** Has a wallet go to the chain of the network, which it may have to learn first. */
export async function switchChain(name: WalletName, { chain }: Descriptor): Promise<void> {
  const provider = name.kind === 'browser' ? announced.get(name.rdns)?.provider : undefined
  if (provider === undefined) throw new WalletProblem('missing')
  const chainId = `0x${chain.id.toString(16)}`
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    if (!isUnknownChain(error)) throw walletProblemOf(error)
    const added = {
      chainId,
      chainName: chain.name ?? chainId,
      nativeCurrency: chain.coin,
      rpcUrls: chain.rpc_url === undefined ? [] : [chain.rpc_url],
      ...(chain.explorer !== null && { blockExplorerUrls: [chain.explorer] }),
    }
    await provider.request({ method: 'wallet_addEthereumChain', params: [added] }).catch(throwAsProblem)
  }
}
