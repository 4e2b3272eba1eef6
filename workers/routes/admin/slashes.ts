import * as z from 'zod'
import { windowTime } from '../../chain/window-time.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { sendSoon } from '../../outbox/send-soon.ts'
import { defineRoute, ok } from '../../route.ts'
import { decisionSecs, disputeGraceSecs } from '../../slashing/slash-standing.ts'
import type { Slash, SlashDecision } from '../../stores/slashes.ts'
import { disputedExample, requireSlash, SlashParams, SlashView, slashView } from '../slashes/schema.ts'
import { requireArbiter } from './arbiter.ts'
import { ofOperators, Reason } from './schema.ts'

const Resolution = z
  .strictObject({
    decision: z.enum(['cancel', 'uphold']),
    notes: Reason.describe('Reason, for the audit log.'),
  })
  .meta({ id: 'SlashResolution' })

export const resolveSlash = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/slashes/{evidence_hash}/resolve',
    operationId: 'resolveSlash',
    summary: 'Decide about a slash as the arbiter',
    description:
      'cancel ends an open slash; uphold rejects a dispute. The hub submits the decision on chain with the key of the arbiter; the status changes when the decision is indexed. The same decision again changes nothing.',
    ...ofOperators,
    params: SlashParams,
    json: {
      schema: Resolution,
      example: { decision: 'cancel', notes: 'The key that signed the votes was stolen.' },
    },
    errors: ['not_found', 'invalid_state'],
    responses: ok('The slash.', SlashView, disputedExample),
  },
  async (c, { params: { evidence_hash }, json: { decision, notes } }) => {
    const { slashes } = c.var.services
    const [slash, now] = await Promise.all([requireSlash(c, evidence_hash), windowTime(c.var.services)])
    requireArbiter(c)
    if (slash.decision !== decision) {
      requireDecidable(slash, decision, now)
      const isOnChain = decision === 'cancel' || slash.chain?.status === 'disputed'
      const operator = sessionOf(c).address
      const outcome = await slashes.decide(evidence_hash, decision, { operator, notes, isOnChain }, now)
      if (outcome === 'stale') await requireSameDecision(c, evidence_hash, decision)
      sendSoon(c, `${decision}_slash`, evidence_hash)
    }
    return json(slashView(await requireSlash(c, evidence_hash), now))
  },
)

/** @throws {@link ApiError} 409 `invalid_state`. */
function requireDecidable(slash: Slash, decision: SlashDecision, now: number): void {
  const refusal = decision === 'cancel' ? refusalToCancel(slash) : refusalToUphold(slash, now)
  if (refusal !== null) throw new ApiError('invalid_state', refusal, { details: { status: slash.status } })
}

function refusalToCancel({ status }: Slash): string | null {
  if (status === 'recorded') return 'The slash is not proposed on the chain yet. Try again in a minute.'
  return status === 'proposed' || status === 'disputed' ? null : `The slash is ${status}.`
}

function refusalToUphold({ status, decision, chain }: Slash, now: number): string | null {
  if (status !== 'disputed') return `The slash is ${status}; uphold needs a disputed slash.`
  if (decision === 'cancel') return 'The slash is being cancelled; this cannot be changed.'
  if (chain?.status === 'disputed')
    return now < (chain.disputed_at ?? now) + decisionSecs
      ? null
      : 'The 14 days to uphold the slash are over; it can only be cancelled.'
  // Until then the dispute may still arrive; what came too late for the chain needs no transaction.
  return chain !== null && now >= chain.executable_at + disputeGraceSecs
    ? null
    : 'The dispute is not on the chain yet. Try again in a minute.'
}

/**
 * Passes if another call has made the same decision at the same time. @throws {@link ApiError} 409 `invalid_state` for another
 * one.
 */
async function requireSameDecision(
  c: HubContext,
  evidenceHash: string,
  decision: SlashDecision,
): Promise<void> {
  const slash = await requireSlash(c, evidenceHash)
  if (slash.decision !== decision)
    throw new ApiError('invalid_state', `The slash is ${slash.status}, and another decision was made.`, {
      details: { status: slash.status },
    })
}
