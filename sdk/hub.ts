import type { ProjectManifest } from '../protocol/manifest/index.ts'
import type { ActionOptions, DoneAction } from './actions.ts'
import { type Client, withDeadline } from './client.ts'
import { type Events, eventsOf } from './events.ts'
import { listItems, listsOf, type NamedLists } from './lists.ts'
import { type Network, readNetwork } from './network.ts'
import type { Given, Item, ListOperation } from './operations.ts'
import type * as owner from './owner-actions.ts'
import type { SignedIn, SignInOptions } from './sign-in.ts'
import { type Tasks, tasksOf } from './tasks.ts'
import type { Evidence, Receipt, Verification } from './verify-receipt.ts'
import type { Wallet } from './wallets.ts'

type OwnerActions = typeof owner
type ByWallet<Name extends 'bond' | 'unbond' | 'withdraw' | 'setPayout'> = (
  wanted: Parameters<OwnerActions[Name]>[1],
  wallet: Wallet,
  options?: ActionOptions,
) => Promise<DoneAction>

/** A hub, and who calls it. */
export interface Hub extends Omit<NamedLists, 'subscriptions' | 'projects'> {
  /** Origin of the hub. */
  readonly url: string
  /** Any call of the API: `call('GET /v1/projects/{project_id}', { path: { project_id } })`. */
  readonly call: Client['call']
  /** As `call`, but null where the hub answers `not_found`. */
  readonly find: Client['find']
  /** The items of any list, whose pages are read as they are needed. */
  readonly list: <O extends ListOperation>(operation: O, ...args: Given<O>) => AsyncGenerator<Item<O>, void>
  /** Chain, contracts and names of the network, read once. */
  readonly network: () => Promise<Network>
  readonly tasks: Tasks
  readonly events: Events
  /** Recomputes a receipt, and compares it with what you know of the run. Nothing is asked of the hub but its network. */
  readonly verifyReceipt: (receipt: Receipt, evidence?: Evidence) => Promise<Verification>
  /** Signs a wallet in. Each wallet has its own session, which signs it in again when it has expired. */
  readonly signIn: (wallet: Wallet, options?: SignInOptions) => Promise<Session>
  readonly subscriptions: NamedLists['subscriptions'] & {
    /** Subscribes a device to a project unless it is, and bonds collateral. */
    readonly bond: ByWallet<'bond'>
    readonly unbond: ByWallet<'unbond'>
    readonly withdraw: ByWallet<'withdraw'>
    readonly setPayout: ByWallet<'setPayout'>
  }
  readonly projects: NamedLists['projects'] & {
    /** Signs a manifest, submits it, and registers its project on chain. */
    readonly register: (
      manifest: ProjectManifest,
      wallet: Wallet,
      options?: ActionOptions,
    ) => Promise<DoneAction>
    /** Publishes a version that was submitted. */
    readonly publish: (
      version: Parameters<OwnerActions['publishVersion']>[1],
      wallet: Wallet,
      options?: ActionOptions,
    ) => Promise<DoneAction>
  }
}

/** A hub that is called by a wallet. */
export interface Session extends Hub {
  readonly address: string
  /** The token, its end and the roles of the wallet as they are now. */
  readonly current: SignedIn
}

const actionTimeoutMs = 120_000

/**
 * @param client calls as someone.
 * @param anyone calls without a credential.
 */
export function hubOf(client: Client, anyone: Client): Hub {
  let network: Promise<Network> | null = null
  const readOnce = (): Promise<Network> => {
    network ??= readNetwork(anyone).catch((error) => {
      network = null
      throw error
    })
    return network
  }
  /** By address. */
  const sessions = new Map<string, Promise<{ session: Client; signedIn: Session }>>()
  const openSession = async (wallet: Wallet, options: SignInOptions) => {
    const [{ signIn, SessionCredential }, { profile }] = await Promise.all([
      import('./signing.ts'),
      readOnce(),
    ])
    const { signal, ...later } = options
    const first = await signIn(anyone, profile, wallet, options)
    const credential = new SessionCredential(first, () => signIn(anyone, profile, wallet, later))
    const session = anyone.as(credential)
    const signedIn = Object.defineProperties(hubOf(session, anyone), {
      address: { value: first.address, enumerable: true },
      current: { get: () => credential.current, enumerable: true },
    }) as Session
    return { session, signedIn }
  }
  const sessionOf = (wallet: Wallet, options: SignInOptions) => {
    const key = wallet.address.toLowerCase()
    const known = sessions.get(key) ?? openSession(wallet, options)
    sessions.set(key, known)
    known.catch(() => sessions.delete(key))
    return known
  }
  const byWallet =
    <Wanted>(
      perform: (
        actions: OwnerActions,
        actor: owner.Actor,
        wanted: Wanted,
        options?: ActionOptions,
      ) => Promise<DoneAction>,
    ) =>
    (
      wanted: Wanted,
      wallet: Wallet,
      { signal: given, timeout = actionTimeoutMs, ...options }: ActionOptions = {},
    ) =>
      withDeadline('The action', timeout, given, async (signal) => {
        const [actions, { session }, network] = await Promise.all([
          import('./signing.ts'),
          sessionOf(wallet, {}),
          readOnce(),
        ])
        return perform(actions, { session, network, wallet }, wanted, { ...options, signal, timeout })
      })
  const lists = listsOf(client)
  return {
    ...lists,
    url: client.url,
    call: client.call,
    find: client.find,
    list: (operation, ...args) => listItems(client, operation, ...args),
    network: readOnce,
    tasks: tasksOf(client),
    events: eventsOf(client),
    verifyReceipt: async (receipt, evidence) => {
      const [{ verifyReceipt }, { profile }] = await Promise.all([import('./verify.ts'), readOnce()])
      return verifyReceipt(profile, receipt, evidence)
    },
    signIn: async (wallet, options = {}) => (await sessionOf(wallet, options)).signedIn,
    subscriptions: {
      ...lists.subscriptions,
      bond: byWallet(({ bond }, ...rest) => bond(...rest)),
      unbond: byWallet(({ unbond }, ...rest) => unbond(...rest)),
      withdraw: byWallet(({ withdraw }, ...rest) => withdraw(...rest)),
      setPayout: byWallet(({ setPayout }, ...rest) => setPayout(...rest)),
    },
    projects: {
      ...lists.projects,
      register: byWallet(({ registerProject }, ...rest) => registerProject(...rest)),
      publish: byWallet(({ publishVersion }, ...rest) => publishVersion(...rest)),
    },
  }
}
