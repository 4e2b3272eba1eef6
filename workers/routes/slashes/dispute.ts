import { windowTime } from '../../chain/window-time.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { sendSoon } from '../../outbox/send-soon.ts'
import { defineRoute, reply } from '../../route.ts'
import { disputeOf, isDisputable } from '../../slashing/slash-standing.ts'
import type { Slash } from '../../stores/slashes.ts'
import { DisputeInput, disputedExample, requireSlash, SlashParams, SlashView, slashView } from './schema.ts'

export const disputeSlash = defineRoute(
  {
    method: 'post',
    path: '/v1/slashes/{evidence_hash}/disputes',
    operationId: 'disputeSlash',
    tag: 'Slashing',
    summary: 'Dispute a slash of your own subscription',
    description:
      'Possible once, before `executable_at`. The hub submits the dispute on chain, where it blocks the slash until the arbiter decides. After 14 days without a decision the slash is cancelled.',
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    params: SlashParams,
    json: {
      schema: DisputeInput,
      example: {
        reason: 'The key was copied by somebody else; see the report.',
        links: ['https://miner.example.com/report'],
      },
    },
    errors: ['not_found', 'not_owner', 'invalid_state', 'duplicate'],
    responses: reply(201, 'Filed.', SlashView, disputedExample, { Location: 'The slash.' }),
  },
  async (c, { params: { evidence_hash }, json: { reason, links } }) => {
    const { slashes } = c.var.services
    const [slash, now] = await Promise.all([requireSlash(c, evidence_hash), windowTime(c.var.services)])
    if (slash.owner !== sessionOf(c).address)
      throw new ApiError(
        'not_owner',
        `The slash ${evidence_hash} does not belong to one of your subscriptions.`,
      )
    // An earlier try filed it: what is left to do is to answer.
    if (!(c.var.operation.isRetry && slash.disputeFiledAt !== null)) {
      requireDisputable(slash, now)
      if ((await slashes.dispute(evidence_hash, { reason, links }, now)) === 'stale')
        requireDisputable(await requireSlash(c, evidence_hash), now, 'changed')
    }
    sendSoon(c, 'dispute_slash', evidence_hash)
    return json(slashView(await requireSlash(c, evidence_hash), now), 201, {
      Location: `/v1/slashes/${evidence_hash}`,
    })
  },
)

/** @throws {@link ApiError} 409 `duplicate` when it was disputed before, 409 `invalid_state` when it cannot be now. */
function requireDisputable(slash: Slash, now: number, since?: 'changed'): void {
  const { status, chain } = slash
  const details = { status, executable_at: chain?.executable_at ?? null }
  if (disputeOf(slash) !== null)
    throw new ApiError('duplicate', 'The slash is disputed already.', { details })
  if (since === 'changed' || !isDisputable(slash, now))
    throw new ApiError('invalid_state', refusalOf(slash), { details })
}

function refusalOf({ status, chain }: Slash): string {
  if (status === 'recorded') return 'The slash is not proposed on the chain yet. Try again in a minute.'
  if (status === 'proposed')
    return `A slash can be disputed only before its executable_at, ${chain?.executable_at}.`
  return `The slash is ${status}, and cannot be disputed any more.`
}
