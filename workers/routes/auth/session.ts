import { unixNow } from '../../../durable-objects/clock.ts'
import { rolesOf } from '../../auth/roles.ts'
import { example } from '../../examples.ts'
import { json, noContent } from '../../http/answer.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { Session } from './schema.ts'

export const getSession = defineRoute(
  {
    method: 'get',
    path: '/v1/auth/session',
    operationId: 'getSession',
    tag: 'Sign-in',
    summary: 'Read the session',
    description: 'Says whose token this is, and when it expires.',
    auth: { session: true },
    responses: ok('The session, without its token.', Session, {
      address: example.wallet,
      expires_at: example.time,
      roles: [],
    }),
  },
  async (c) => {
    const standing = await c.var.services.accounts.standing(callerOf(c))
    const { address, expiresAt } = sessionOf(c)
    return json({ address, expires_at: expiresAt, roles: rolesOf(address, standing, c.var.settings) })
  },
)

export const logout = defineRoute(
  {
    method: 'post',
    path: '/v1/auth/logout',
    operationId: 'logout',
    tag: 'Sign-in',
    summary: 'Revoke the session',
    description: 'The token stops working at once.',
    auth: { session: true },
    responses: { 204: { description: 'Revoked.' } },
  },
  async (c) => {
    await c.var.services.sessions.revoke(sessionOf(c).tokenHash, unixNow())
    return noContent()
  },
)
