import * as z from 'zod'
import { requireContracts } from '../../chain/contracts.ts'
import { nextPauseAt } from '../../chain/pauses.ts'
import { windowTime } from '../../chain/window-time.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { type Answer, json } from '../../http/answer.ts'
import { Bytes32 } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { sendSoon } from '../../outbox/send-soon.ts'
import { defineRoute, ok } from '../../route.ts'
import { epochSubject } from '../../stores/epochs.ts'
import { SettlementDecisionStore, type VetoAction } from '../../stores/settlement-decisions.ts'
import { EpochNumber } from '../explorer/epochs.ts'
import { epochExample } from '../explorer/schema.ts'
import { unknownProject } from '../projects/access.ts'
import { ProjectParams } from '../projects/schema.ts'
import { requireArbiter } from './arbiter.ts'
import { ofOperators, Reason } from './schema.ts'

const body = {
  schema: z.strictObject({ reason: Reason }).meta({ id: 'SettlementDecision' }),
  example: { reason: 'The root pays an unknown address.' },
  optional: true,
} as const

const params = z.object({ ...ProjectParams, epoch: EpochNumber })

const VetoView = z
  .strictObject({
    project_id: Bytes32,
    epoch: z.int(),
    vetoed: z
      .boolean()
      .describe('Whether the root of the epoch is vetoed, once the transaction of the arbiter is on chain.'),
  })
  .meta({ id: 'EpochVeto' })

const PauseView = z
  .strictObject({
    paused: z
      .boolean()
      .describe('Whether posting is paused in all vaults, once the transaction of the arbiter is on chain.'),
  })
  .meta({ id: 'PostingPause' })

const vetoExample = { project_id: epochExample.project_id, epoch: epochExample.epoch, vetoed: true }

export const vetoEpoch = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/epochs/{project_id}/{epoch}/veto',
    operationId: 'vetoEpoch',
    summary: 'Veto a posted epoch within its challenge period',
    description:
      'Vetoes the posted root, also if another authorized poster has posted it. Nothing is posted for the epoch until it is reopened.',
    ...ofOperators,
    params,
    json: body,
    errors: ['not_found', 'invalid_state'],
    responses: ok('The hub submits the decision with the key of the arbiter.', VetoView, vetoExample),
  },
  (c, { params: given, json: { reason } }) => decide(c, 'veto', given, reason),
)

export const reopenEpoch = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/epochs/{project_id}/{epoch}/reopen',
    operationId: 'reopenEpoch',
    summary: 'Reopen a vetoed epoch for posting',
    description: 'The hub posts the root that validators attested.',
    ...ofOperators,
    params,
    json: body,
    errors: ['not_found', 'invalid_state'],
    responses: ok('The hub submits the decision with the key of the arbiter.', VetoView, {
      ...vetoExample,
      vetoed: false,
    }),
  },
  (c, { params: given, json: { reason } }) => decide(c, 'reopen', given, reason),
)

export const pauseSettlement = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/settlement/pause',
    operationId: 'pauseSettlement',
    summary: 'Stop the posting of epochs in all vaults',
    description:
      'Claims and withdrawals continue. The hub accepts receipts, and posts them after the pause, which ends after three days or when an operator ends it. The next pause may begin a day after those three days; before that the answer is 409, with the time in `details.next_at`.',
    ...ofOperators,
    json: body,
    errors: ['invalid_state'],
    responses: ok('The hub submits the decision with the key of the arbiter.', PauseView, { paused: true }),
  },
  (c, { json: { reason } }) => setPaused(c, true, reason),
)

export const unpauseSettlement = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/settlement/unpause',
    operationId: 'unpauseSettlement',
    summary: 'Resume the posting of epochs',
    description: 'Ends a pause of the contracts, so that epochs are posted and paid again.',
    ...ofOperators,
    json: body,
    errors: ['invalid_state'],
    responses: ok('The hub submits the decision with the key of the arbiter.', PauseView, { paused: false }),
  },
  (c, { json: { reason } }) => setPaused(c, false, reason),
)

async function decide(
  c: HubContext,
  action: VetoAction,
  { project_id, epoch }: { project_id: string; epoch: number },
  reason: string | null,
): Promise<Answer> {
  const { projects, store } = c.var.services
  const project = await projects.find(project_id)
  if (project === null) throw unknownProject(project_id)
  requireArbiter(c)
  const subject = epochSubject(project.vault, epoch)
  const decision = { operator: sessionOf(c).address, reason }
  const outcome = await store(SettlementDecisionStore).decide(
    action,
    { projectId: project_id, epoch, subject },
    decision,
    await windowTime(c.var.services),
  )
  if (outcome === 'invalid_state')
    throw new ApiError(
      'invalid_state',
      action === 'veto'
        ? `The epoch ${epoch} is not posted, is vetoed already, or its challenge period is over.`
        : `The epoch ${epoch} is not vetoed.`,
    )
  sendSoon(c, 'set_veto', subject)
  return json({ project_id, epoch, vetoed: action === 'veto' })
}

async function setPaused(c: HubContext, paused: boolean, reason: string | null): Promise<Answer> {
  const { vault_factory } = requireContracts(c)
  requireArbiter(c)
  const { store, clock } = c.var.services
  const decision = { operator: sessionOf(c).address, reason }
  const now = await clock.now()
  const outcome = await store(SettlementDecisionStore).setPaused(vault_factory, paused, decision, now)
  if (outcome === 'invalid_state') {
    if (paused) await requireRested(c, vault_factory, now)
    throw new ApiError('invalid_state', `Posting is ${paused ? 'paused already' : 'not paused'}.`)
  }
  sendSoon(c, 'set_posting_pause', vault_factory)
  return json({ paused })
}

/** @throws {@link ApiError} 409 `invalid_state` where the last pause has ended less than a day before. */
async function requireRested(c: HubContext, factory: string, now: number): Promise<void> {
  const posting = await c.var.services.chainIndex.state('posting', factory)
  const nextAt = posting && nextPauseAt(posting, now)
  if (nextAt === null) return
  const time = new Date(nextAt * 1000).toISOString().replace('.000Z', 'Z')
  throw new ApiError(
    'invalid_state',
    `The last pause was over less than a day ago. Pause posting again from ${time} on.`,
    { details: { next_at: nextAt } },
  )
}
