import { unixNow } from '../../../durable-objects/clock.ts'
import { noContent } from '../../http/answer.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'

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
