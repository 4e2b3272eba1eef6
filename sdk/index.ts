import { Client, type ClientOptions } from './client.ts'
import { HubError } from './errors.ts'
import { type Hub, hubOf } from './hub.ts'

export type { ActionOptions, DoneAction, Payload, Preview } from './actions.ts'
export type { ClientOptions, Fetch, PinnedNetwork } from './client.ts'
export * from './errors.ts'
export type { FollowedEvent, FollowOptions } from './events.ts'
export type { Hub, Session } from './hub.ts'
export type { Network } from './network.ts'
export type * from './operations.ts'
export type { RetryOptions } from './retries.ts'
export type { SignInOptions } from './sign-in.ts'
export type { RunOptions, Task, TaskInput } from './tasks.ts'
export type { Evidence, Receipt, Verification } from './verify-receipt.ts'
export type { Provider, SignableData, Wallet } from './wallets.ts'

export interface HubOptions extends ClientOptions {
  /** Key of a developer, for calls that need one. */
  readonly apiKey?: string | undefined
  /** Token of a session that was opened elsewhere, also for actions. `signIn` opens one that renews itself. */
  readonly session?: string | undefined
}

/** A hub to call. Nothing is sent yet. */
export function createHub({ apiKey, session, ...options }: HubOptions): Hub {
  const anyone = new Client(options)
  if (apiKey !== undefined && session !== undefined)
    throw new HubError('A call has one caller: give apiKey or session, and make two hubs for both.')
  const token = session ?? apiKey
  const client =
    token === undefined ? anyone : anyone.as({ headers: () => ({ Authorization: `Bearer ${token}` }) })
  return hubOf(client, anyone, session === undefined ? null : client)
}
