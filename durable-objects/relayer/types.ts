import type { Abi } from 'viem'
import type { TransactionStatus } from '../../protocol/actions/index.ts'
import type { NewestBlocks } from '../indexer/newest-blocks.ts'

export interface RelayerConfig {
  /** Addresses of nodes, comma separated. */
  rpcUrl: string
  timeoutMs: number
  chainId: number
  privateKey: string
  /** The errors of every contract an action may meet. */
  errors: Abi
  /** No transaction ever pays more per gas. */
  feeCapWei: bigint
  /** No transaction ever pays more in all, gas times fee: nodes refuse what may cost more. */
  txFeeCapWei: bigint
  /** Blocks, its own included, after which a transaction counts as final. */
  confirmations: number
  tickMs: number
  /** A transaction that no block has taken for this long is replaced by one with higher fees. */
  stuckMs: number
  /** How old the view of the chain may be by which a relayer calls itself well. */
  viewMs: number
  gasPerDay: number
  gasPerOwner: number
  /** A key that was replaced only brings to an end what it has accepted. */
  accepts: boolean
  /** The result of another key for an action; asked before it is accepted, so that no action is accepted under two keys. */
  findElsewhere: (request: RelayRequest) => Promise<RelayResult | null>
  /** Sees to it that `submit` is called with the ids soon. It may fail, and the call come twice or never. */
  enqueue: (ids: readonly string[]) => Promise<void>
  /** The newest block that the hub has seen, and when it looks for the next one; null while it does not follow the chain. */
  newest: () => Promise<NewestBlocks | null>
  /** Copies states into the hub's database; an older revision must not overwrite a newer one. */
  publish: (relays: RelayView[]) => Promise<void>
  /** The transaction with which somebody else submitted a signed action, by a node that has the block `atLeast`. Throws when nobody can tell. */
  findForeignSubmission: (
    relay: Pick<RelayRequest, 'action' | 'to' | 'data'>,
    atLeast: number,
  ) => Promise<{ txHash: string } | null>
}

export interface RelayRequest {
  /** Names the action for ever: the EIP-712 digest of what its owner signed. */
  id: string
  action: string
  owner: string
  /** Only one action per key may be on its way to a block; null for no such limit. */
  serializationKey: string | null
  to: string
  data: string
  /** Decimal. */
  valueWei: string
  /** Gas that the call may take. Left out for actions that no owner has a part in, and that are known to take less than most. */
  gasMax?: number
  /** Actions of this kind that the owner may have accepted in a day. Left out for actions of the hub itself. */
  perDay?: number
}

export interface RelayView {
  id: string
  action: string
  owner: string
  status: TransactionStatus
  txHash: string | null
  error: string | null
  confirmations: number
  createdAt: number
  updatedAt: number
  revision: number
}

/** The daily limit that is used up: the owner's actions of the kind, the owner's gas, or the gas for all owners. */
export interface Exhausted {
  of: 'owner' | 'owner_gas' | 'everyone'
  /** Unix seconds. */
  renewsAt: number
}

export type RelayResult =
  | { status: 'accepted'; relay: RelayView }
  /** Another action with the serialization key goes first. */
  | { status: 'busy'; id: string }
  | { status: 'refused'; name: string | null; args: string[]; reason: string }
  /** No more is relayed today, for its owner or for anybody. */
  | ({ status: 'exhausted' } & Exhausted)
  /** `records`: nobody can say whether another key has accepted it; `key`: this one was replaced. */
  | { status: 'unavailable'; part: 'chain' | 'balance' | 'fees' | 'records' | 'key' }

export interface RelayerHealth {
  status: 'ok' | 'unavailable'
  signer: string | null
  balanceWei: string | null
  open: number
  /** Open actions whose nonce something has used for long, while no node says what: they can be neither done nor failed. */
  undecided: number
  /** Actions that no block has taken for long after they were accepted. */
  overdue: number
  oldestOpenAt: number | null
  nextNonce: number
  /** Nonces that a transfer of nothing used, because no action had them and others waited behind. */
  filled: number
  /** Gas of what owners had accepted today, and what there is for them in a day. */
  gasToday: number
  gasPerDay: number
}
