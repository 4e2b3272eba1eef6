import type { ProjectManifest } from '../protocol/manifest/index.ts'
import type { ActionOptions, DoneAction } from './actions.ts'
import { type Client, noting } from './client.ts'
import { unlessAborted, withDeadline } from './deadline.ts'
import { type Begun, SessionExpired, Unauthorized } from './errors.ts'
import { type Events, eventsOf } from './events.ts'
import { listItems, listsOf, type NamedLists } from './lists.ts'
import { type Network, readNetwork } from './network.ts'
import type { CallOptions, Given, Item, ListOperation } from './operations.ts'
import type * as owner from './owner-actions.ts'
import { actionTimeoutMs } from './retries.ts'
import type { SignedIn, SignInOptions } from './sign-in.ts'
import { type Tasks, tasksOf } from './tasks.ts'
import type { Evidence, Receipt, Verification } from './verify-receipt.ts'
import type { Wallet } from './wallets.ts'

type OwnerActions = typeof owner
type ByWallet<Name extends 'bond' | 'bondBatch' | 'unbond' | 'withdraw' | 'setPayout'> = (
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
  /** As `call`, but null if the hub answers `not_found`. */
  readonly find: Client['find']
  /** The items of any list, whose pages are read as they are needed. */
  readonly list: <O extends ListOperation>(operation: O, ...args: Given<O>) => AsyncGenerator<Item<O>, void>
  /** Chain, contracts and names of the network, read once. */
  readonly network: (options?: Pick<CallOptions, 'signal'>) => Promise<Network>
  readonly tasks: Tasks
  readonly events: Events
  /** Recomputes a receipt, and compares it with what you know of the run. Nothing is asked of the hub but its network. */
  readonly verifyReceipt: (
    receipt: Receipt,
    evidence?: Evidence,
    options?: Pick<CallOptions, 'signal'>,
  ) => Promise<Verification>
  /** Signs a wallet in. Each wallet has its own session, which signs it in again when it has expired. */
  readonly signIn: (wallet: Wallet, options?: SignInOptions) => Promise<Session>
  readonly subscriptions: NamedLists['subscriptions'] & {
    /** Subscribes a device to a project unless it is, and bonds collateral. */
    readonly bond: ByWallet<'bond'>
    /** The same for several devices or projects, by one signature: all of them, or none. */
    readonly bondBatch: ByWallet<'bondBatch'>
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
  /** Has the hub forget the session, which signs its wallet in no more. */
  readonly signOut: (options?: CallOptions) => Promise<void>
}

const signInTimeoutMs = 120_000

/** State that the callers of one hub share. */
interface Shared {
  readonly anyone: Client
  network: Promise<Network> | null
  /** By address. */
  readonly sessions: Map<string, Promise<{ session: Client; signedIn: Session }>>
}

/**
 * @param client calls as someone.
 * @param anyone calls without a credential.
 * @param actor calls with the session of a wallet, for its actions. Default: each wallet is signed in.
 */
export const hubOf = (client: Client, anyone: Client, actor: Client | null = null): Hub =>
  hubOfShared(client, { anyone, network: null, sessions: new Map() }, actor)

function hubOfShared(client: Client, shared: Shared, actor: Client | null): Hub {
  const { anyone, sessions } = shared
  // Callers share this request, so no caller's signal aborts it.
  const readOnce = (signal?: AbortSignal): Promise<Network> => {
    shared.network ??= readNetwork(anyone).catch((error) => {
      shared.network = null
      throw error
    })
    return unlessAborted(signal, shared.network)
  }
  const openSession = async (key: string, wallet: Wallet, options: SignInOptions) => {
    const [{ signIn, SessionCredential }, { profile }] = await Promise.all([
      import('./signing.ts'),
      readOnce(),
    ])
    const { signal: _, timeout = signInTimeoutMs, ...later } = options
    const begin = () =>
      withDeadline('The sign-in', timeout, undefined, (signal) =>
        signIn(anyone, profile, wallet, { ...later, signal }),
      )
    const credential = new SessionCredential(await begin(), begin)
    const session = anyone.as(credential)
    const signOut: Session['signOut'] = async (call) => {
      credential.end()
      sessions.delete(key)
      await session.call('POST /v1/auth/logout', call).catch((error) => {
        if (!(error instanceof SessionExpired || error instanceof Unauthorized)) throw error
      })
    }
    const signedIn = Object.defineProperties(hubOfShared(session, shared, null), {
      address: { value: credential.current.address, enumerable: true },
      current: { get: () => credential.current, enumerable: true },
      signOut: { value: signOut, enumerable: true },
    }) as Session
    return { session, signedIn }
  }
  const sessionOf = (wallet: Wallet, { signal, ...options }: SignInOptions) => {
    const key = wallet.address.toLowerCase()
    const known = sessions.get(key) ?? openSession(key, wallet, options)
    sessions.set(key, known)
    known.catch(() => {
      if (sessions.get(key) === known) sessions.delete(key)
    })
    return unlessAborted(signal, known)
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
    ) => {
      const begun: Begun = {}
      const done = withDeadline('The action', timeout, given, async (signal) => {
        const [actions, session, network] = await Promise.all([
          import('./signing.ts'),
          actor ?? sessionOf(wallet, { signal }).then((known) => known.session),
          readOnce(signal),
        ])
        return perform(actions, { session, network, wallet }, wanted, {
          ...options,
          signal,
          timeout,
          onTransaction: (transaction) => {
            begun.transactionId = transaction.id
            options.onTransaction?.(transaction)
          },
        })
      })
      return noting(begun, done)
    }
  const lists = listsOf(client)
  return {
    ...lists,
    url: client.url,
    call: client.call,
    find: client.find,
    list: (operation, ...args) => listItems(client, operation, ...args),
    network: ({ signal } = {}) => readOnce(signal),
    tasks: tasksOf(client),
    events: eventsOf(client),
    verifyReceipt: async (receipt, evidence, { signal } = {}) => {
      const [{ verifyReceipt }, { profile }] = await Promise.all([import('./verify.ts'), readOnce(signal)])
      return verifyReceipt(profile, receipt, evidence)
    },
    signIn: async (wallet, options = {}) => (await sessionOf(wallet, options)).signedIn,
    subscriptions: {
      ...lists.subscriptions,
      bond: byWallet(({ bond }, ...rest) => bond(...rest)),
      bondBatch: byWallet(({ bondBatch }, ...rest) => bondBatch(...rest)),
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
