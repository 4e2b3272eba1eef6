import {
  deriveNodeId,
  hashBinding,
  type Profile,
  parseBindingMessage,
} from '../../../../protocol/identity/index.ts'

/** A device, and the owner that it is bound to. */
export interface Bound {
  readonly owner: string
  readonly node_id: string
  readonly public_key: string
}

/** The unbinding in a text that the hub wrote; null if it is not for exactly this device of this owner. */
export function unbindingOf(profile: Profile, message: string, { owner, node_id, public_key }: Bound) {
  const read = parseBindingMessage(profile, message)
  if (read?.action !== 'unbind' || read.owner !== owner || read.public_key !== public_key) return null
  if (deriveNodeId(profile, public_key) !== node_id) return null
  const { issued_at, nonce } = read
  return { message, binding_hash: hashBinding(message), owner, node_id, public_key, issued_at, nonce }
}
