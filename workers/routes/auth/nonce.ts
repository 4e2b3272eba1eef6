import { unixNow } from '../../../durable-objects/clock.ts'
import {
  issueSiweMessage,
  resolveProfile,
  siweNonceLength,
  siweNonceSeconds,
} from '../../../protocol/identity/index.ts'
import { isSignInDomain, signInDomains } from '../../auth/domains.ts'
import { randomAlphanumerics } from '../../auth/random.ts'
import { invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { Nonce, NonceRequest } from './schema.ts'

export const createNonce = defineRoute(
  {
    method: 'post',
    path: '/v1/auth/nonce',
    operationId: 'createNonce',
    tag: 'Sign-in',
    summary: 'Get a text to sign',
    description: `The first step of signing in with a wallet. The nonce works once, within ${siweNonceSeconds} seconds.`,
    budget: 'sign_in',
    json: { schema: NonceRequest, example: { address: example.wallet, domain: 'localhost:8787' } },
    responses: ok('The nonce and the complete text to sign.', Nonce, {
      nonce: example.nonce,
      issued_at: example.time,
      expires_at: example.time + siweNonceSeconds,
      message: issueSiweMessage(resolveProfile({ service: '{{service}}' }), {
        domain: 'localhost:8787',
        address: example.wallet,
        nonce: example.nonce,
        issuedAt: example.time,
      }),
    }),
  },
  async (c, { json: { address, domain } }) => {
    if (!isSignInDomain(c.var.settings, domain))
      throw invalidField(
        'domain',
        `must be one of ${signInDomains(c.var.settings).join(', ')}, not ${JSON.stringify(domain)}`,
      )

    const nonce = randomAlphanumerics(siweNonceLength)
    const issuedAt = unixNow()
    const expiresAt = issuedAt + siweNonceSeconds
    const message = issueSiweMessage(c.var.settings.PROFILE, { domain, address, nonce, issuedAt })
    await c.var.services.siweNonces.insert({ nonce, address, domain, message, issuedAt, expiresAt })
    return json({ nonce, issued_at: issuedAt, expires_at: expiresAt, message })
  },
)
