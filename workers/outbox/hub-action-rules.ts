import type { RelayRequest } from '../../durable-objects/relayer/object.ts'
import type { Contracts } from '../chain/contracts.ts'
import type { ChainState, Subject } from '../chain/projections.ts'
import type { Env } from '../env.ts'
import type { HubAction, Wish } from '../stores/hub-actions.ts'

type Wanted = HubAction['wanted']

/** What is sent. Of a wallet's own action also who that is and what it may have; the hub's own count nowhere. */
export type Call = Pick<RelayRequest, 'to' | 'data'> &
  Partial<Pick<RelayRequest, 'owner' | 'gasMax' | 'perDay'>>

export interface KnownStates {
  /** Of the subject itself; of several, of the first. */
  own: ChainState | null
  /** Of what {@link HubActionRules.dependsOn} names, in its order. */
  others: readonly (ChainState | null)[]
  /** Whether the chain has far more than is indexed: then what is missing may only not be read yet. */
  isBehind: boolean
}

export interface Wait {
  reason: string
  /** Network time in Unix seconds; left out where only an event of the chain can end it, which makes the action due. */
  until?: number
}

export type Progress =
  | { status: 'waiting' | 'failed' | 'reverted'; reason: string }
  | { status: 'sent'; reason: null }

/** What a kind of action of the hub's own is about, and how it gets to the chain. */
export interface HubActionRules {
  /** Whose role the contract asks for: the hub relays with one key, and is the arbiter with another. */
  signer: 'relayer' | 'arbiter'
  stateKind: Subject['kind']
  /** What has such states where the subject itself has none: the chain has what is wanted when all of them show it. */
  subjects?: (env: Env, subject: string) => Promise<readonly string[]>
  /** @param now - Network time in Unix seconds. */
  isThere: (state: ChainState, wanted: Wanted, now: number) => boolean
  call: (contracts: Contracts, subject: string, wanted: Wanted, env: Env) => Call | Promise<Call>
  /** What a transaction that succeeded left undone, it left for good: the action is done with it. */
  isTriedOnce?: true
  /** Attempts after which a refusal by the contract ends it; left out, it is tried on. */
  attemptsMax?: number
  /** The longest pause between two attempts; an hour when left out. */
  pauseSecondsMax?: number
  /** Attempts in vain after which it is left alone until an operator resends its dead letter. */
  restsAfter?: number
  dependsOn?: (contracts: Contracts, subject: string) => Subject[]
  /** Null where it can be tried. */
  waitsFor?: (known: KnownStates, action: HubAction, now: number) => Wait | null
  onAttempt?: (env: Env, action: HubAction, relayId: string) => Promise<void>
  /** Keeps the hub's own record in step. It may be told the same again. */
  onProgress?: (env: Env, action: HubAction, progress: Progress, known: KnownStates) => Promise<void>
  /** Does what follows in the hub's own records, before the action is done with. It may run twice. */
  onDone?: (env: Env, action: HubAction) => Promise<void>
  next?: (action: HubAction) => Wish
}
