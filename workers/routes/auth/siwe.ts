import { unixNow } from '../../../durable-objects/clock.ts'
import {
  checkSiweExchange,
  readSiweNonce,
  siweMessageLengthMax,
  siweSessionSeconds,
  siweSignatureBytesMax,
} from '../../../protocol/identity/index.ts'
import { isSignInDomain } from '../../auth/domains.ts'
import { randomSecret } from '../../auth/random.ts'
import { rolesOf } from '../../auth/roles.ts'
import { checkContractSignature } from '../../chain/contract-signature.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { hashSecret } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { SessionWithToken, SiweRequest } from './schema.ts'

type AskContract = Extract<ReturnType<typeof checkSiweExchange>, { status: 'ask_contract' }>

export const exchangeSiwe = defineRoute(
  {
    method: 'post',
    path: '/v1/auth/siwe',
    operationId: 'exchangeSiwe',
    tag: 'Sign-in',
    summary: 'Exchange a signed text for a session',
    description: `The second step of signing in. A wallet may also sign its own EIP-4361 text around an issued nonce. An exchange uses up the nonce, also if the signature is wrong. The session lasts ${siweSessionSeconds / 3600} hours.`,
    budget: 'sign_in',
    json: {
      schema: SiweRequest,
      example: {
        message: 'localhost:8787 wants you to sign in with your Ethereum account:\n…',
        signature: `0x${'5c'.repeat(64)}1b`,
      },
    },
    errors: ['unauthorized', 'bad_signature'],
    responses: ok('The session, with its token.', SessionWithToken, {
      token: '{{session_token_prefix}}kV0mX2uB9pQ7sT4wZ1yA6cE3gH8jL5nR0tU2vX4zB7d',
      address: example.wallet,
      expires_at: example.time + siweSessionSeconds,
      roles: [],
    }),
  },
  async (c, { json: { message, signature } }) => {
    const { settings } = c.var
    const now = unixNow()
    const nonce = readSiweNonce(message)
    const issued = nonce === null ? null : await c.var.services.siweNonces.find(nonce)
    const result = checkSiweExchange(settings.PROFILE, {
      issued: issued && {
        message: issued.message,
        nonce: issued.nonce,
        expires_at: issued.expiresAt,
        used: issued.usedAt !== null,
      },
      // A text of the wallet's own names the domain that the nonce was issued for, or it is refused.
      domains: issued !== null && isSignInDomain(settings, issued.domain) ? [issued.domain] : [],
      message,
      signature,
      now,
    })

    const { siweNonces, sessions } = c.var.services
    const isSignedIn = result.status === 'signed_in'
    // If several exchanges of one nonce race, only the one that uses it up continues. A successful one uses it up as its
    // session begins.
    if (!isSignedIn && result.burnsNonce && issued)
      if ((await siweNonces.consume(issued.nonce, now)) === 'gone') throw refusal('unauthorized')
    if (result.status === 'refused')
      throw result.code === 'invalid_field' ? wrongField(result.field) : refusal(result.code)
    if (result.status === 'ask_contract') await requireContractSignature(c, result)

    const token = settings.PROFILE.session_token_prefix + randomSecret()
    const { address, expires_at: expiresAt } = result
    const session = { tokenHash: hashSecret(token), address, createdAt: now, expiresAt }
    const standing =
      isSignedIn && issued ? await sessions.begin(session, issued.nonce) : await sessions.insert(session)
    if (standing === 'gone') throw refusal('unauthorized')
    return json({ token, address, expires_at: expiresAt, roles: rolesOf(address, standing, settings) })
  },
)

async function requireContractSignature(c: HubContext, ask: AskContract): Promise<void> {
  const { chain } = c.var.services
  const withoutCode = () =>
    ask.withoutCode === 'invalid_field' ? wrongField('signature') : refusal(ask.withoutCode)
  if (chain === null) throw withoutCode()
  const answer = await checkContractSignature(chain, { ...ask, signature: ask.signature as `0x${string}` })
  if (answer === 'no_code') throw withoutCode()
  if (answer === 'invalid') throw refusal('bad_signature')
}

const wrongField = (field: 'message' | 'signature'): ApiError =>
  field === 'message'
    ? invalidField('message', `must be at most ${siweMessageLengthMax} characters long`)
    : invalidField(
        'signature',
        `must be lower-case hex: 65 bytes, or up to ${siweSignatureBytesMax} bytes for a contract wallet`,
      )

const refusal = (code: 'unauthorized' | 'bad_signature'): ApiError =>
  new ApiError(
    code,
    code === 'unauthorized'
      ? 'This text cannot be exchanged: its nonce is unknown, used or expired, or the text is neither the issued text nor a valid EIP-4361 text with this nonce. Get a fresh nonce and sign its text.'
      : 'The signature was not made by the wallet in the text.',
  )
