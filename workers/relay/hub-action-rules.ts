import type { Hex } from 'viem'
import type { Contracts } from '../chain/contracts.ts'
import type { ChainState, Subject } from '../chain/projections.ts'
import type { HubAction } from '../stores/hub-actions.ts'

type Wanted = HubAction['wanted']

/** What a kind of action of the hub's own is about, and how it gets to the chain. */
export interface HubActionRules {
  /** Whose role the contract asks for: the hub relays with one key, and is the arbiter with another. */
  signer: 'relayer' | 'arbiter'
  /** The state of the subject that shows whether the chain has what is wanted. */
  stateKind: Subject['kind']
  isThere: (state: ChainState, wanted: Wanted) => boolean
  call: (contracts: Contracts, subject: string, wanted: Wanted) => { to: string; data: Hex }
}
