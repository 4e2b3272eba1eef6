import { checkBindingRecord, createBindingRecord } from '../../identity/index.ts'
import { ed25519PublicKey, evmAddress } from '../../signatures/index.ts'
import type { TopicRunner } from '../runner.ts'

/**
 * The owner, the node or both sign when a device is unbound. `signers` names them; without it, a null signature in the
 * expected record marks the one that does not sign.
 */
export const runBinding: TopicRunner = (input, { profile }, { output }) => {
  if (input.check !== undefined) {
    const { network, chain_id, now } = input.check
    const check = checkBindingRecord({ ...profile, network, chain_id }, input.record, now)
    return check.ok ? { accepted: true, action: check.action } : { error: check.code }
  }
  const isSigner = (who: string) =>
    input.signers === undefined ? output?.record[`${who}_signature`] !== null : input.signers.includes(who)
  const record = createBindingRecord(
    { ...profile, network: input.network, chain_id: input.chain_id },
    {
      action: input.unbind ? 'unbind' : 'bind',
      owner: evmAddress(input.owner_key),
      public_key: ed25519PublicKey(input.node_seed),
      issued_at: input.issued_at,
      nonce: input.nonce,
    },
    {
      ownerKey: isSigner('owner') ? input.owner_key : null,
      nodeKey: isSigner('node') ? input.node_seed : null,
    },
  )
  return { record }
}
