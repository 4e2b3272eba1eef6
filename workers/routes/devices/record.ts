import * as z from 'zod'
import { wireErrors } from '../../../protocol/errors.ts'
import {
  bindingSkewSeconds,
  checkBindingRecord,
  profileStrings,
  resolveProfile,
  type BindingRecord as SignedRecord,
} from '../../../protocol/identity/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { Address, Bytes32, NodeId, Timestamp } from '../../http/formats.ts'
import type { Binding, BindingRecord } from '../../stores/devices.ts'

const Text = (max: number) => z.string().max(max, `must be at most ${max} characters long`)

/** A record as it is posted: whether its members fit each other is the protocol's to say. */
export const DeviceRecordInput = z
  .strictObject({
    message: Text(1024),
    binding_hash: Text(66),
    owner: Address,
    node_id: Text(128),
    public_key: Text(66),
    issued_at: Timestamp,
    nonce: Text(32),
    owner_signature: Text(132).nullish(),
    node_signature: Text(130).nullish(),
  })
  .meta({ id: 'DeviceRecordInput' })

export const DeviceRecordView = z
  .strictObject({
    message: z.string(),
    binding_hash: Bytes32,
    owner: Address,
    node_id: NodeId,
    public_key: Bytes32,
    issued_at: Timestamp,
    nonce: z.string(),
    owner_signature: z.string().nullable(),
    node_signature: z.string().nullable(),
  })
  .meta({ id: 'DeviceRecord' })

export const recordView = (record: Binding): z.output<typeof DeviceRecordView> => ({
  message: record.message,
  binding_hash: record.bindingHash,
  owner: record.owner,
  node_id: record.nodeId,
  public_key: record.publicKey,
  issued_at: record.issuedAt,
  nonce: record.nonce,
  owner_signature: record.ownerSignature,
  node_signature: record.nodeSignature,
})

const names = profileStrings(resolveProfile({ service: '{{service}}' }))

export const recordExample = (action: 'bind' | 'unbind'): z.output<typeof DeviceRecordView> => ({
  message: `${action === 'bind' ? names.bind_line : names.unbind_line}\nNetwork: …`,
  binding_hash: example.manifestAddress,
  owner: example.wallet,
  node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
  public_key: example.digest,
  issued_at: example.time,
  nonce: '5f0c7a9e3b1d4862a0c4e8f1b3d57690',
  owner_signature: `0x${'1f'.repeat(64)}1b`,
  node_signature: action === 'bind' ? `0x${'2e'.repeat(64)}` : null,
})

/**
 * Checks a posted record in the order of the protocol. @throws {@link ApiError} 422 `invalid_binding`, a record too old or too new with the
 * reason `stale_binding`; 422 `bad_signature`.
 */
export function requireRecord(
  c: HubContext,
  posted: z.output<typeof DeviceRecordInput>,
  action: 'bind' | 'unbind',
  now: number,
): BindingRecord {
  const check = checkBindingRecord(
    c.var.settings.PROFILE,
    {
      ...posted,
      owner_signature: posted.owner_signature ?? null,
      node_signature: posted.node_signature ?? null,
    },
    now,
  )
  if (check.ok && check.action === action) return storedRecord({ ...check, message: posted.message })
  throw check.ok ? wrongAction(action) : refusal(check.code)
}

/** A record whose signatures hold, as it is stored. */
const storedRecord = (record: Required<SignedRecord> & { action: 'bind' | 'unbind' }): BindingRecord => ({
  bindingHash: record.binding_hash,
  action: record.action,
  nodeId: record.node_id,
  publicKey: record.public_key,
  owner: record.owner,
  message: record.message,
  issuedAt: record.issued_at,
  nonce: record.nonce,
  ownerSignature: record.owner_signature,
  nodeSignature: record.node_signature,
})

const wrongAction = (action: string): ApiError =>
  new ApiError(
    'invalid_binding',
    `The message does not ${action} a device; its first line names its purpose.`,
  )

function refusal(code: 'invalid_binding' | 'stale_binding' | 'bad_signature'): ApiError {
  switch (code) {
    case 'invalid_binding':
      return new ApiError(
        'invalid_binding',
        'The message is not a text of this network, its fields or hash differ from the text, or a signature is missing. POST /v1/devices/binding-message returns a text to sign.',
      )
    case 'stale_binding':
      return new ApiError(
        wireErrors[code].error,
        `The message was issued more than ${bindingSkewSeconds} s from now. Sign a fresh one.`,
        { details: { reason: code } },
      )
    case 'bad_signature':
      return new ApiError(
        'bad_signature',
        'A signature over the message is not from the owner or the device.',
        { status: 422 },
      )
  }
}
