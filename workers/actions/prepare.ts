import { actions, buildGaslessPayload, domainOf, type GaslessPayload } from '../../protocol/actions/index.ts'
import { requireContracts } from '../chain/contracts.ts'
import type { HubContext } from '../context.ts'
import { readNonce } from './account-state.ts'
import type { RequestedAction } from './action-calls.ts'
import { type DirectTransaction, directTransaction } from './direct-transaction.ts'
import { askPreview, type Preview } from './preview.ts'

export type PreparedPayload = GaslessPayload & { direct_tx: DirectTransaction; preview: Preview | null }

/**
 * What the account signs, with a preview unless the query says `preview=false`; `message` lacks nonce and deadline. @throws {@link ApiError}
 * 503 `unavailable` while the chain does not answer.
 */
export async function preparePayload(c: HubContext, requested: RequestedAction): Promise<PreparedPayload> {
  const payloads = await preparePayloads(c, requested)
  return payloads([requested])[0] as PreparedPayload
}

/**
 * Prepares actions of one kind and account, of which each signs the nonce after that of the one before it. The preview is of the first alone:
 * the contract refuses the others until it is done. @returns Their payloads; takes those that are left of the actions, in their order.
 */
export async function preparePayloads(
  c: HubContext,
  first: RequestedAction,
): Promise<(all: readonly RequestedAction[]) => PreparedPayload[]> {
  const { action, account } = first
  const contracts = requireContracts(c)
  const profile = c.var.settings.PROFILE
  const { verifyingContract } = domainOf(profile, contracts, actions[action])
  const [now, nonce, permitNonce, preview] = await Promise.all([
    c.var.services.clock.now(),
    readNonce(c, verifyingContract, account),
    action === 'bond' ? readNonce(c, contracts.token, account) : 0n,
    c.req.query('preview') === 'false' ? null : askPreview(c, contracts, first),
  ])
  return (all) =>
    all.map((one, i) => {
      const nonces = { nonce: nonce + BigInt(i), permitNonce: permitNonce + BigInt(i) }
      return {
        ...buildGaslessPayload(profile, contracts, { action, message: one.message, ...nonces, now }),
        direct_tx: directTransaction(c, action, one.message),
        preview: one === first ? (preview?.(nonces) ?? null) : null,
      }
    })
}
