import {
  deriveNodeId,
  hashBinding,
  type Profile,
  parseBindingMessage,
} from '../../../../protocol/identity/index.ts'

/** Whose device it is, and which. */
export interface Bound {
  readonly owner: string
  readonly node_id: string
  readonly public_key: string
}

/** What a text that the hub wrote unbinds; null where that is not exactly the device of the owner. */
export function unbindingOf(profile: Profile, message: string, { owner, node_id, public_key }: Bound) {
  const read = parseBindingMessage(profile, message)
  if (read?.action !== 'unbind' || read.owner !== owner || read.public_key !== public_key) return null
  if (deriveNodeId(profile, public_key) !== node_id) return null
  const { issued_at, nonce } = read
  return { message, binding_hash: hashBinding(message), owner, node_id, public_key, issued_at, nonce }
}
