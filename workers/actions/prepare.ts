import {
  actions,
  buildGaslessPayload,
  domainOf,
  type GaslessPayload,
  permitActions,
} from '../../protocol/actions/index.ts'
import { requireContracts } from '../chain/contracts.ts'
import type { HubContext } from '../context.ts'
import { spendAddressBudget } from '../middleware/rate-limit.ts'
import { readNonce } from './account-state.ts'
import type { RequestedAction } from './action-calls.ts'
import { type DirectTransaction, directTransaction } from './direct-transaction.ts'
import { askPreview, type Preview } from './preview.ts'

export type PreparedPayload = GaslessPayload & { direct_tx: DirectTransaction; preview: Preview | null }

/**
 * The payload that the account signs, with a preview unless the query says `preview=false`. `requested.message` lacks nonce and deadline.
 * @throws {@link ApiError} 429 `rate_limited`; 503 `unavailable` while the chain does not answer.
 */
export async function preparePayload(c: HubContext, requested: RequestedAction): Promise<PreparedPayload> {
  const { action, account, message } = requested
  const contracts = requireContracts(c)
  const profile = c.var.settings.PROFILE
  // With the nonces, and the calls of the preview.
  await spendAddressBudget(c, 'chain_calls', 6)
  const { verifyingContract } = domainOf(profile, contracts, actions[action])
  const [now, nonce, permitNonce, preview] = await Promise.all([
    c.var.services.clock.now(),
    readNonce(c, verifyingContract, account),
    permitActions.includes(action) ? readNonce(c, contracts.token, account) : 0n,
    c.req.query('preview') === 'false' ? null : askPreview(c, contracts, requested),
  ])
  const nonces = { nonce, permitNonce }
  return {
    ...buildGaslessPayload(profile, contracts, { action, message, ...nonces, now }),
    direct_tx: directTransaction(c, action, message),
    preview: preview?.(nonces) ?? null,
  }
}
