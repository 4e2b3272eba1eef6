import * as z from 'zod'
import { formatBindingMessage, hashBinding } from '../../../protocol/identity/index.ts'
import { isEd25519PublicKey } from '../../../protocol/signatures/index.ts'
import { randomNonce } from '../../auth/random.ts'
import { invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Bytes32 } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { recordExample } from './record.ts'

const Request = z
  .strictObject({
    owner: Address,
    public_key: Bytes32.meta({ description: 'ed25519 key of the device.' }),
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
    json: { schema: Request, example: { owner: example.wallet, public_key: example.digest } },
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
