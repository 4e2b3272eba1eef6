import * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { type Answer, json as answer } from '../../http/answer.ts'
import { FoldedAddress } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import { OwnDeveloperView, ownDeveloperExample, ownDeveloperView } from '../developers/schema.ts'
import { ofOperators, Reason } from './schema.ts'

const params = z.object({ address: FoldedAddress.meta({ example: example.wallet }) })
const json200 = { description: 'The developer.', schema: OwnDeveloperView, example: ownDeveloperExample }

const AdminEnrollment = z
  .strictObject({ status: z.enum(['active', 'rejected']), notes: Reason })
  .meta({ id: 'AdminEnrollment' })

const AdminVerification = z
  .strictObject({
    status: z.enum(['active', 'verified', 'rejected']).describe('active and verified both grant it.'),
    notes: Reason,
  })
  .meta({ id: 'AdminVerification' })

export const decideEnrollment = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/developers/{address}/enrollment',
    operationId: 'decideEnrollment',
    summary: 'Approve or reject an enrollment',
    description:
      'Decides a pending enrollment, approves a rejected one, or ends an active one by rejecting it.',
    ...ofOperators,
    params,
    json: { schema: AdminEnrollment, example: { status: 'active' } },
    errors: ['not_found', 'invalid_state'],
    responses: { 200: json200 },
  },
  (c, { params: { address }, json }) => decide(c, address, 'enrollment', json),
)

export const decideVerification = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/developers/{address}/verification',
    operationId: 'decideVerification',
    summary: 'Approve or reject a verification',
    description: 'The same decisions as for enrollments. A verification without a request cannot be decided.',
    ...ofOperators,
    params,
    json: {
      schema: AdminVerification,
      example: { status: 'rejected', notes: 'The website is not yours.' },
    },
    errors: ['not_found', 'invalid_state'],
    responses: { 200: json200 },
  },
  (c, { params: { address }, json }) => decide(c, address, 'verification', json),
)

async function decide(
  c: HubContext,
  address: string,
  what: 'enrollment' | 'verification',
  { status, notes }: z.output<typeof AdminVerification>,
): Promise<Answer> {
  const { developers, clock } = c.var.services
  const operator = sessionOf(c).address
  const isGranted = status !== 'rejected'
  const decision = { operator, reason: notes }
  const decided = await developers.decide(address, what, isGranted, decision, await clock.now())
  const developer = await developers.find(address)
  if (developer === null) throw new ApiError('not_found', `${address} has never applied for enrollment.`)
  if (decided === 'invalid_state') {
    const granted = what === 'enrollment' ? 'active' : 'verified'
    const rule = isGranted
      ? 'only a pending or rejected one can be approved'
      : `only a pending or ${granted} one can be rejected`
    throw new ApiError('invalid_state', `The ${what} is ${developer[what]}; ${rule}.`, {
      details: { state: developer[what] },
    })
  }
  return answer(ownDeveloperView(developer))
}
