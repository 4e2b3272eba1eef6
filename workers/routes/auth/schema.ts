import * as z from 'zod'
import {
  siweMessageLengthMax,
  siweNonceLength,
  siweSignatureBytesMax,
} from '../../../protocol/identity/index.ts'
import { roles } from '../../auth/roles.ts'
import { Address, Timestamp, WalletAddress } from '../../http/formats.ts'

export const NonceRequest = z
  .strictObject({
    address: WalletAddress.describe(
      'The wallet that will sign, in lower case or with the checksum of EIP-55.',
    ),
    domain: z
      .string()
      .max(255)
      .describe(
        'Host of the page that asks for the signature; `hosts.sign_in` of `GET /` lists them. On a local network also any port of localhost and 127.0.0.1.',
      ),
  })
  .meta({ id: 'NonceRequest' })

export const Nonce = z
  .strictObject({
    nonce: z.string().length(siweNonceLength),
    issued_at: Timestamp,
    expires_at: Timestamp.describe('Deadline of the exchange.'),
    message: z.string().describe('The exact text to sign (EIP-4361).'),
  })
  .meta({ id: 'Nonce' })

// Lengths and hex are checked by the exchange rules, whose order decides what a wrong signature burns.
export const SiweRequest = z
  .strictObject({
    message: z
      .string()
      .meta({ description: 'The signed text, character for character.', maxLength: siweMessageLengthMax }),
    signature: z.string().meta({
      description:
        'Signature over the text (`personal_sign`), lower-case hex; longer ones are checked by EIP-1271.',
      maxLength: 2 + 2 * siweSignatureBytesMax,
    }),
  })
  .meta({ id: 'SiweRequest' })

export const Session = z
  .strictObject({
    address: Address,
    expires_at: Timestamp,
    roles: z.array(z.enum(roles)),
  })
  .meta({ id: 'Session' })

export const SessionWithToken = z
  .strictObject({
    token: z.string().describe('Send as `Authorization: Bearer <token>`. Shown only here.'),
    ...Session.shape,
  })
  .meta({ id: 'SessionWithToken' })
