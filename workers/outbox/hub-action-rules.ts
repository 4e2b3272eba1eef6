import type { RelayRequest } from '../../durable-objects/relayer/object.ts'
import type { Contracts } from '../chain/contracts.ts'
import type { ChainState, Subject } from '../chain/projections.ts'
import type { Env } from '../env.ts'
import type { HubAction, Wish } from '../stores/hub-actions.ts'

type Wanted = HubAction['wanted']

/** The call to send. If it is a wallet's own action, also that wallet and its limits; actions of the hub itself use up no allowance. */
export type Call = Pick<RelayRequest, 'to' | 'data'> &
  Partial<Pick<RelayRequest, 'owner' | 'gasMax' | 'perDay'>> & {
    /** Members of `wanted` for the attempts after this one. */
    noted?: Wanted
  }

export interface KnownStates {
  /** The state of the subject itself; of the first one, if there are several. */
  own: ChainState | null
  /** The states of the subjects that {@link HubActionRules.dependsOn} names, in its order. */
  others: readonly (ChainState | null)[]
  /** Whether the chain has far more than is indexed: then what is missing may only not be read yet. */
  isBehind: boolean
  /** Time of the newest indexed block, in Unix seconds: nothing that came later is known. */
  readUntil: number
}

export interface Wait {
  reason: string
  /** Network time in Unix seconds; left out where only an event of the chain can end it, which makes the action due. */
  until?: number
}

export type Progress =
  | { status: 'waiting' | 'failed' | 'reverted'; reason: string }
  | { status: 'sent'; reason: null }

/** The rules for one kind of action of the hub itself: which states show it, when it waits, and which call it sends. */
export interface HubActionRules {
  /** The role that the contract requires: the hub relays with one key, and is the arbiter with another. */
  signer: 'relayer' | 'arbiter'
  stateKind: Subject['kind']
  /** The ids that have such states, if the subject itself has none: the chain has what is wanted when all of them show it. */
  subjects?: (env: Env, subject: string) => Promise<readonly string[]>
  /** @param now - Network time in Unix seconds. @param readUntil - As in {@link KnownStates}. */
  isThere: (state: ChainState, wanted: Wanted, now: number, readUntil: number) => boolean
  /** @param action - The attempt, with the reason why the one before it came to nothing. */
  call: (
    contracts: Contracts,
    subject: string,
    wanted: Wanted,
    env: Env,
    action: HubAction,
  ) => Call | Promise<Call>
  /** The first transaction that succeeds ends the action, even if it left a part undone. */
  isTriedOnce?: true
  /** Refusals by the contract, of which the last one ends it; left out, it is tried on. */
  refusalsMax?: number
  /** The longest pause between two attempts; an hour when left out. */
  pauseSecondsMax?: number
  /** Refusals and reverts after which it is left alone until an operator resends its dead letter. */
  restsAfter?: number
  dependsOn?: (contracts: Contracts, subject: string) => Subject[]
  /** Null if it can be tried. */
  waitsFor?: (known: KnownStates, action: HubAction, now: number) => Wait | null
  onAttempt?: (env: Env, action: HubAction, relayId: string) => Promise<void>
  /** Keeps the hub's own record in step. It may be told the same again. */
  onProgress?: (env: Env, action: HubAction, progress: Progress, known: KnownStates) => Promise<void>
  /** Does what follows in the hub's own records, before the action is done with. It may run twice. */
  onDone?: (env: Env, action: HubAction) => Promise<void>
  next?: (action: HubAction) => Wish
}
