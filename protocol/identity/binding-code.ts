import {
  type BindingFields,
  type BindingRecord,
  formatBindingMessage,
  hashBinding,
  parseBindingMessage,
} from './binding.ts'
import { deriveNodeId } from './ids.ts'
import type { Profile } from './profile.ts'

/** A record that its node has signed and its owner has not: what `nodectl bind` prints for a console, in one word. */
export interface BindingOffer extends BindingFields {
  readonly node_signature: string
}

const start = 'bind'

/** Writes a code: its parts have no other use for a dot. */
export const formatBindingCode = ({
  owner,
  public_key,
  issued_at,
  nonce,
  node_signature,
}: BindingOffer): string => [start, owner, public_key, issued_at, nonce, node_signature].join('.')

/**
 * Reads a code as a person pastes it, alone or at the end of an address.
 * @returns The record but for the signature of its owner; null unless it binds a device of this deployment.
 */
export function parseBindingCode(
  profile: Profile,
  text: string,
): (BindingRecord & { readonly node_signature: string }) | null {
  const code = text.trim().replace(/^.*#/, '')
  const [word, owner, public_key, issuedAt, nonce, node_signature, ...others] = code.split('.')
  if (word !== start || !owner || !public_key || !issuedAt || !nonce || others.length > 0) return null
  if (!/^[0-9a-z]{1,200}$/i.test(node_signature ?? '') || !/^(?:0|[1-9]\d{0,15})$/.test(issuedAt)) return null
  const fields = { action: 'bind', owner, public_key, issued_at: Number(issuedAt), nonce } as const
  const message = tryFormat(profile, fields)
  if (message === null || parseBindingMessage(profile, message) === null) return null
  const { action: _, ...rest } = fields
  return {
    ...rest,
    message,
    binding_hash: hashBinding(message),
    node_id: deriveNodeId(profile, public_key),
    node_signature: node_signature as string,
  }
}

function tryFormat(profile: Profile, fields: BindingFields): string | null {
  try {
    return formatBindingMessage(profile, fields)
  } catch {
    return null
  }
}
