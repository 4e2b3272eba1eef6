import type { Relay } from './ledger.ts'
import type { RelayView } from './types.ts'

/** An action as clients see it. `mined` is `sent` to them, since its block may be dropped; a refusal shows once the nonce is used for good. */
export const viewOf = (relay: Relay): RelayView => ({
  id: relay.id,
  action: relay.action,
  owner: relay.owner,
  status: relay.status === 'mined' ? 'sent' : relay.status,
  txHash: relay.txHash,
  error: relay.status === 'reverted' || relay.status === 'failed' ? relay.error : null,
  confirmations: relay.confirmations,
  createdAt: Math.floor(relay.acceptedAtMs / 1000),
  updatedAt: relay.updatedAt,
  revision: relay.revision,
})
