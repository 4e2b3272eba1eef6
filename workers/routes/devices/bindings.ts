import * as z from 'zod'
import { formatBindingMessage, hashBinding } from '../../../protocol/identity/index.ts'
import { isEd25519PublicKey } from '../../../protocol/signatures/index.ts'
import { randomNonce } from '../../auth/random.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Bytes32, NodeId, PathBytes32, Timestamp } from '../../http/formats.ts'
import { viewerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { DeviceRecordInput, DeviceRecordView, recordExample, recordView, requireRecord } from './record.ts'
import { DeviceView, deviceExample, deviceView } from './schema.ts'

const MessageRequest = z
  .strictObject({
    owner: Address,
    public_key: Bytes32.describe('ed25519 key of the device.'),
    unbind: z.boolean().default(false),
  })
  .meta({ id: 'BindingMessageRequest' })

const Message = z
  .strictObject({ message: z.string(), binding_hash: Bytes32 })
  .meta({ id: 'BindingMessage', description: 'The text to sign, with a fresh nonce.' })

export const createBindingMessage = defineRoute(
  {
    method: 'post',
    path: '/v1/devices/binding-message',
    operationId: 'createBindingMessage',
    tag: 'Devices',
    summary: 'Get a text to sign that binds or unbinds a device',
    description:
      'The owner signs the text itself (EIP-191); the device signs its hash with a prefix. A signer may also write the text without this call.',
    json: { schema: MessageRequest, example: { owner: example.wallet, public_key: example.digest } },
    responses: ok('The text to sign. The hub stores nothing.', Message, {
      message: recordExample('bind').message,
      binding_hash: recordExample('bind').binding_hash,
    }),
  },
  async (c, { json: { owner, public_key, unbind } }) => {
    if (!isEd25519PublicKey(public_key))
      throw invalidField(
        'public_key',
        'is not an ed25519 key that can be used safely; make one with nodectl keygen',
      )
    const message = formatBindingMessage(c.var.settings.PROFILE, {
      action: unbind ? 'unbind' : 'bind',
      owner,
      public_key,
      issued_at: await c.var.services.clock.now(),
      nonce: randomNonce(),
    })
    return json({ message, binding_hash: hashBinding(message) })
  },
)

export const bindDevice = defineRoute(
  {
    method: 'post',
    path: '/v1/devices/bind',
    operationId: 'bindDevice',
    tag: 'Devices',
    summary: 'Bind a device to a wallet',
    description:
      'The record has the signatures of both, so the call needs no credential. Posting the active record again changes nothing. A newer record of the same owner replaces it.',
    stores: 'records',
    json: { schema: DeviceRecordInput, example: recordExample('bind') },
    signed: true,
    errors: ['invalid_binding', 'conflict'],
    responses: ok('Bound.', DeviceView, deviceExample),
  },
  async (c, { json: posted }) => {
    const { devices, clock } = c.var.services
    const now = await clock.now()
    const record = requireRecord(c, posted, 'bind', now)
    const outcome = await devices.bind(record, now)
    const device = outcome === 'bound' ? await devices.find(record.nodeId) : null
    if (device === null)
      throw new ApiError(
        'conflict',
        'This device is bound to another wallet, which must unbind it first, or this record was used before: sign a fresh one.',
      )
    return json(deviceView(device, viewerOf(c), now))
  },
)

const Unbound = z
  .strictObject({ node_id: NodeId, owner: Address, unbound_at: Timestamp })
  .meta({ id: 'UnboundDevice' })

export const unbindDevice = defineRoute(
  {
    method: 'post',
    path: '/v1/devices/unbind',
    operationId: 'unbindDevice',
    tag: 'Devices',
    summary: 'Unbind a device from its wallet',
    description:
      'Signed by the owner, by the device, or by both. Subscriptions of the device continue, but committees leave them out.',
    stores: 'records',
    json: { schema: DeviceRecordInput, example: recordExample('unbind') },
    signed: true,
    errors: ['invalid_binding'],
    responses: ok('Unbound. The same record again gets the same answer.', Unbound, {
      node_id: recordExample('unbind').node_id,
      owner: recordExample('unbind').owner,
      unbound_at: recordExample('unbind').issued_at,
    }),
  },
  async (c, { json: posted }) => {
    const { devices, links, clock } = c.var.services
    const now = await clock.now()
    const record = requireRecord(c, posted, 'unbind', now)
    const unboundAt = await devices.unbind(record, now)
    if (unboundAt === null)
      throw new ApiError('invalid_binding', `${record.nodeId} is not bound to ${record.owner}.`)
    // The tickets of its link end. Repeated also where nothing changed: an earlier try may have ended before it.
    await links(record.publicKey).refresh()
    return json({ node_id: record.nodeId, owner: record.owner, unbound_at: unboundAt })
  },
)

export const getBinding = defineRoute(
  {
    method: 'get',
    path: '/v1/bindings/{binding_hash}',
    operationId: 'getBinding',
    tag: 'Devices',
    summary: 'Read a record that bound or unbound a device',
    description: 'With its signatures, so that anybody can check it.',
    params: z.object({ binding_hash: PathBytes32.meta({ example: example.manifestAddress }) }),
    cache: { maxAgeSeconds: 31_536_000, immutable: true },
    errors: ['not_found'],
    responses: ok('The record.', DeviceRecordView, recordExample('bind')),
  },
  async (c, { params: { binding_hash } }) => {
    const record = await c.var.services.devices.findBinding(binding_hash)
    if (record === null) throw new ApiError('not_found', `The record ${binding_hash} does not exist.`)
    return json(recordView(record))
  },
)
