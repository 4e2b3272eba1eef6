import {
  type BindingFields,
  bindingSkewSeconds,
  type Profile,
  parseBindingMessage,
} from '../../../protocol/identity/index.ts'
import type { Clock } from '../serve/clock.ts'
import { type HubClient, invalidAnswer } from '../serve/hub/index.ts'
import { Members } from '../serve/hub/members.ts'

export type WantedBinding = Pick<BindingFields, 'action' | 'owner' | 'public_key'>

/**
 * Asks the hub for a text that binds or unbinds a device, with a fresh nonce, and checks that it says this and nothing else:
 * a wallet that signs it signs every word of it.
 *
 * @throws {@link HubError} for a text that says something else.
 */
export async function askForText(
  client: HubClient,
  profile: Profile,
  wanted: WantedBinding,
  clock: Clock,
): Promise<string> {
  const { action, owner, public_key } = wanted
  const body = { owner, public_key, unbind: action === 'unbind' }
  const message = await client.call(
    { method: 'POST', target: '/v1/devices/binding-message', body },
    (answer) => new Members(answer).text('message'),
  )
  const fields = parseBindingMessage(profile, message)
  if (
    fields?.action !== action ||
    fields.owner !== owner ||
    fields.public_key !== public_key ||
    Math.abs(fields.issued_at - clock.now()) > bindingSkewSeconds
  )
    throw invalidAnswer(
      'the hub sent a different text from the one to sign; nothing is signed',
      `It sent: ${message.slice(0, 1000)}`,
    )
  return message
}
