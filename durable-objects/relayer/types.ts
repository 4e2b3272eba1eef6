import type { Abi } from 'viem'
import type { TransactionStatus } from '../../protocol/actions/index.ts'

/** What a relayer is built from; the hub supplies it. */
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
  /** Blocks, its own included, after which a transaction counts as final. */
  confirmations: number
  tickMs: number
  /** A transaction that no block has taken for this long is replaced by one with higher fees. */
  stuckMs: number
  /** Sees to it that `submit` is called with the ids soon. It may fail, and the call come twice or never. */
  enqueue: (ids: readonly string[]) => Promise<void>
  /** Copies states into the hub's database; an older revision must not overwrite a newer one. */
  publish: (relays: RelayView[]) => Promise<void>
}

export interface RelayRequest {
  /** Names the action for ever: the EIP-712 digest of what its owner signed. */
  id: string
  action: string
  owner: string
  /** Of one key only one action may be on its way to a block; null for no such limit. */
  serializationKey: string | null
  to: string
  data: string
  /** Decimal. */
  valueWei: string
  /** What the call may take. Left out for calls of this network's own contracts, which are known to take less than most. */
  gasMax?: number
}

/** An action as clients see it. */
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

export type RelayResult =
  | { status: 'accepted'; relay: RelayView }
  /** Another action with the serialization key goes first. */
  | { status: 'busy'; id: string }
  /** It would revert. */
  | { status: 'refused'; name: string | null; args: string[]; reason: string }
  | { status: 'unavailable'; part: 'chain' | 'balance' | 'fees' }

export interface RelayerHealth {
  status: 'ok' | 'unavailable'
  signer: string | null
  balanceWei: string | null
  open: number
  oldestOpenAt: number | null
  nextNonce: number
}
