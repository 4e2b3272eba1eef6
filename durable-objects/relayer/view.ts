import type { Admission } from './admissions.ts'
import type { Relay } from './ledger.ts'
import type { RelayView } from './types.ts'

/** A block that may still be dropped is no result yet, so `mined` is shown as `sent`. */
export const viewOf = (relay: Relay): RelayView => ({
  id: relay.id,
  action: relay.action,
  owner: relay.owner,
  status: relay.hollow ? 'failed' : relay.status === 'mined' ? 'sent' : relay.status,
  txHash: relay.txHash,
  error: relay.error,
  confirmations: relay.confirmations,
  createdAt: relay.createdAt,
  updatedAt: relay.updatedAt,
  revision: relay.revision,
})

/** With a revision below that of any action with a nonce, which is what becomes of it. */
export function admissionViewOf({ id, action, owner, admittedAtMs }: Admission): RelayView {
  const at = Math.floor(admittedAtMs / 1000)
  return {
    id,
    action,
    owner,
    status: 'queued',
    txHash: null,
    error: null,
    confirmations: 0,
    createdAt: at,
    updatedAt: at,
    revision: 0,
  }
}
