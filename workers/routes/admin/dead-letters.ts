import * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { type Answer, json } from '../../http/answer.ts'
import { Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { sendSoon } from '../../outbox/send-soon.ts'
import { resendLetter } from '../../queues/resend.ts'
import { defineRoute, ok } from '../../route.ts'
import type { DeadLetter } from '../../stores/dead-letters.ts'
import { hubActionsQueue, type Wish } from '../../stores/hub-actions.ts'
import { ofOperators, Reason } from './schema.ts'

export const DeadLetterView = z
  .strictObject({
    message_id: z.string(),
    queue: z.string(),
    body: z.string().describe('The message as JSON text.'),
    attempts: z.int(),
    died_at: Timestamp,
    resolution: z
      .enum(['resent', 'closed', 'done'])
      .nullable()
      .describe('Null while it is unresolved; `done` when its action is on chain.'),
  })
  .meta({ id: 'DeadLetter' })

export const deadLetterView = ({ messageId, queue, body, attempts, diedAt, resolution }: DeadLetter) => ({
  message_id: messageId,
  queue,
  body,
  attempts,
  died_at: diedAt,
  resolution,
})

const letterExample = {
  message_id: '6ea0e7c8b0e5404aa6c8a3c5a9d2b7f1',
  queue: 'action-dead-letters',
  body: `{"v":1,"id":"${example.digest}"}`,
  attempts: 11,
  died_at: example.time,
  resolution: null,
}

const params = z.object({
  message_id: z
    .string()
    .regex(/^[\w:.-]{1,200}$/, 'must be the message_id of a dead letter')
    .meta({ example: letterExample.message_id }),
})
const Decision = z.strictObject({ reason: Reason }).meta({ id: 'DeadLetterDecision' })

export const listDeadLetters = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/dead-letters',
    operationId: 'listDeadLetters',
    summary: 'List dead letters (messages that failed every attempt), newest first',
    description:
      'Unresolved messages, and actions that the hub itself has failed to submit on chain so far. `GET /v1/status` is `degraded` until each is resent, closed or done.',
    ...ofOperators,
    query: z.strictObject(pageQuery),
    responses: onePage('DeadLetterPage', DeadLetterView, letterExample),
  },
  (c, { query }) =>
    answerPage(c, {
      list: 'dead-letters',
      query,
      by: ['diedAt', 'messageId'],
      fetch: (after, limit) => c.var.services.deadLetters.unresolved(after, limit),
      view: deadLetterView,
    }),
)

export const resendDeadLetter = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/dead-letters/{message_id}/resend',
    operationId: 'resendDeadLetter',
    summary: 'Resend a dead letter',
    description:
      'Its action is done once, also if the message is sent several times. A message that fails again returns to the list.',
    ...ofOperators,
    params,
    json: { schema: Decision, example: { reason: 'The chain is back.' }, optional: true },
    errors: ['not_found', 'invalid_state'],
    responses: ok('The dead letter is sent again.', DeadLetterView, {
      ...letterExample,
      resolution: 'resent',
    }),
  },
  async (c, { params: { message_id }, json: { reason } }) => {
    const letter = await requireUnresolved(c, message_id)
    if (!(await resendLetter(c.env, letter)))
      throw new ApiError(
        'invalid_state',
        'The hub cannot read the message, so it would only fail again. Close it.',
        { details: { queue: letter.queue } },
      )
    return resolve(c, message_id, 'resent', reason)
  },
)

export const closeDeadLetter = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/dead-letters/{message_id}/close',
    operationId: 'closeDeadLetter',
    summary: 'Close a dead letter',
    description:
      'The message is kept, but not sent again. If the message is about an action of the hub itself, the hub also abandons this action.',
    ...ofOperators,
    params,
    json: { schema: Decision, example: { reason: 'Registered by hand.' }, optional: true },
    errors: ['not_found', 'invalid_state'],
    responses: ok('The dead letter is closed.', DeadLetterView, { ...letterExample, resolution: 'closed' }),
  },
  async (c, { params: { message_id }, json: { reason } }) => {
    await requireUnresolved(c, message_id)
    return resolve(c, message_id, 'closed', reason)
  },
)

async function requireUnresolved(c: HubContext, messageId: string): Promise<DeadLetter> {
  const letter = await c.var.services.deadLetters.find(messageId)
  if (letter === null) throw new ApiError('not_found', `There is no dead letter ${messageId}.`)
  if (letter.resolvedAt !== null) throw alreadyResolved(letter)
  return letter
}

const alreadyResolved = ({ resolution }: DeadLetter): ApiError =>
  new ApiError('invalid_state', `The dead letter is resolved already: ${resolution}.`, {
    details: { resolution },
  })

async function resolve(
  c: HubContext,
  messageId: string,
  resolution: 'resent' | 'closed',
  reason: string | null,
): Promise<Answer> {
  const { deadLetters, clock } = c.var.services
  const operator = sessionOf(c).address
  const resolved = await deadLetters.resolve(messageId, resolution, { operator, reason }, await clock.now())
  const letter = await deadLetters.find(messageId)
  if (letter === null) throw new ApiError('not_found', `There is no dead letter ${messageId}.`)
  if (!resolved) throw alreadyResolved(letter)
  if (resolution === 'resent' && letter.queue === hubActionsQueue) {
    const { kind, subject } = JSON.parse(letter.body) as Wish
    sendSoon(c, kind, subject)
  }
  return json(deadLetterView(letter))
}
