import { type Hex, hashText, isAddress, isBytes32, isNonce, isUnsigned } from '../encoding/index.ts'
import {
  checkPersonalSignature,
  ed25519Signer,
  isEd25519PublicKey,
  type SigningKey,
  signPersonalMessage,
  verifyEd25519,
} from '../signatures/index.ts'
import { deriveNodeId } from './ids.ts'
import { type Profile, profileStrings } from './profile.ts'

/** How far the time of a record may lie from now, in seconds, either way. */
export const bindingSkewSeconds = 600

/** The content of a device record beside the names of the deployment. */
export interface BindingFields {
  readonly action: 'bind' | 'unbind'
  /** Wallet that the device mines for, lower case. */
  readonly owner: string
  /** ed25519 key of the device; its node id follows from it. */
  readonly public_key: string
  /** Unix seconds. */
  readonly issued_at: number
  /** 32 hex digits without `0x`. */
  readonly nonce: string
}

/**
 * A device record. Binding takes both signatures, unbinding one or both: the owner's by EIP-191 over the message, the
 * node's by ed25519 over {@link bindingText}.
 */
export interface BindingRecord {
  readonly message: string
  /** `H(text(message))`, without the EIP-191 prefix. */
  readonly binding_hash: string
  readonly owner: string
  readonly node_id: string
  readonly public_key: string
  readonly issued_at: number
  readonly nonce: string
  readonly owner_signature?: string | null
  readonly node_signature?: string | null
}

/**
 * Writes the message of a device record (section 9): eight lines joined by LF, no trailing newline.
 * @throws {@link FormatError} for a malformed key.
 */
export function formatBindingMessage(profile: Profile, fields: BindingFields): string {
  const names = profileStrings(profile)
  return [
    fields.action === 'bind' ? names.bind_line : names.unbind_line,
    `Network: ${profile.network}`,
    `Chain ID: ${profile.chain_id}`,
    `Owner: ${fields.owner}`,
    `Node ID: ${deriveNodeId(profile, fields.public_key)}`,
    `Node key: ${fields.public_key}`,
    `Issued at: ${fields.issued_at}`,
    `Nonce: ${fields.nonce}`,
  ].join('\n')
}

/**
 * Reads the message of a device record of this deployment.
 * @returns null unless the text is exactly what {@link formatBindingMessage} writes for the fields it names. A text for
 * another network or chain does not belong to this deployment.
 */
export function parseBindingMessage(profile: Profile, message: string): BindingFields | null {
  const lines = message.split('\n')
  const value = (line: number, label: string) =>
    lines[line]?.startsWith(label) ? lines[line].slice(label.length) : ''
  const owner = value(3, 'Owner: ')
  const publicKey = value(5, 'Node key: ')
  const issuedAt = value(6, 'Issued at: ')
  const nonce = value(7, 'Nonce: ')
  const isDecimal = /^(?:0|[1-9][0-9]{0,15})$/.test(issuedAt) && isUnsigned(Number(issuedAt))
  if (!isAddress(owner) || !isBytes32(publicKey) || !isDecimal || !isNonce(nonce)) return null
  const fields: BindingFields = {
    action: lines[0] === profileStrings(profile).bind_line ? 'bind' : 'unbind',
    owner,
    public_key: publicKey,
    issued_at: Number(issuedAt),
    nonce,
  }
  return formatBindingMessage(profile, fields) === message ? fields : null
}

/** Hashes the message of a record: `H(text(message))`. */
export const hashBinding = (message: string): Hex => hashText(message)

/** The text that the node signs: `<prefix>-bind-v1:` + `binding_hash`. The message in the hash tells bind from unbind. */
export function bindingText(profile: Profile, bindingHash: string): string {
  return profileStrings(profile).bind + bindingHash
}

/** The keys that sign a record; null leaves a signature out. */
export interface BindingSigners {
  /** secp256k1 key of the owner. */
  readonly ownerKey: string | null
  /** ed25519 key of the node. */
  readonly nodeKey: SigningKey | null
}

/** Writes and signs a record. Throws {@link FormatError} for a malformed key. */
export function createBindingRecord(
  profile: Profile,
  fields: BindingFields,
  signers: BindingSigners,
): BindingRecord & { readonly owner_signature: Hex | null; readonly node_signature: Hex | null } {
  const message = formatBindingMessage(profile, fields)
  const bindingHash = hashBinding(message)
  const { ownerKey, nodeKey } = signers
  return {
    message,
    binding_hash: bindingHash,
    owner: fields.owner,
    node_id: deriveNodeId(profile, fields.public_key),
    public_key: fields.public_key,
    issued_at: fields.issued_at,
    nonce: fields.nonce,
    owner_signature: ownerKey === null ? null : signPersonalMessage(ownerKey, message),
    node_signature: nodeKey === null ? null : ed25519Signer(nodeKey).sign(bindingText(profile, bindingHash)),
  }
}

/** The content of an accepted record, or the first check that failed. Over HTTP `stale_binding` is sent as `invalid_binding`. */
export type BindingCheck =
  | ({
      readonly ok: true
      readonly binding_hash: Hex
      readonly node_id: string
      /** In the form that is stored. */
      readonly owner_signature: Hex | null
      readonly node_signature: string | null
    } & BindingFields)
  | { readonly ok: false; readonly code: 'invalid_binding' | 'stale_binding' | 'bad_signature' }

/**
 * Checks a record in the order of section 9: the message is one of this deployment, byte for byte as rebuilt from its
 * fields, else `invalid_binding`; `|now − issued_at| ≤ 600`, else `stale_binding`; hash, members and key fit and the needed
 * signatures are there, else `invalid_binding`; each signature present verifies, else `bad_signature`.
 * @param now Unix seconds.
 */
export function checkBindingRecord(profile: Profile, record: BindingRecord, now: number): BindingCheck {
  const fields = parseBindingMessage(profile, record.message)
  if (fields === null) return { ok: false, code: 'invalid_binding' }
  if (Math.abs(now - fields.issued_at) > bindingSkewSeconds) return { ok: false, code: 'stale_binding' }

  const bindingHash = hashBinding(record.message)
  const nodeId = deriveNodeId(profile, fields.public_key)
  const owner = record.owner_signature ?? null
  const node = record.node_signature ?? null
  const isSigned =
    fields.action === 'bind' ? owner !== null && node !== null : owner !== null || node !== null
  if (
    record.binding_hash !== bindingHash ||
    record.owner !== fields.owner ||
    record.node_id !== nodeId ||
    record.public_key !== fields.public_key ||
    record.issued_at !== fields.issued_at ||
    record.nonce !== fields.nonce ||
    !isEd25519PublicKey(fields.public_key) ||
    !isSigned
  )
    return { ok: false, code: 'invalid_binding' }

  const ownerCheck = owner === null ? null : checkPersonalSignature(record.message, owner, fields.owner)
  const isNodeSigned =
    node === null || verifyEd25519(fields.public_key, bindingText(profile, bindingHash), node)
  if (ownerCheck?.ok === false || !isNodeSigned) return { ok: false, code: 'bad_signature' }
  return {
    ok: true,
    ...fields,
    binding_hash: bindingHash,
    node_id: nodeId,
    owner_signature: ownerCheck?.normalized ?? null,
    node_signature: node,
  }
}
