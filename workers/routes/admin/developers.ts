import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { type Answer, json } from '../../http/answer.ts'
import { FoldedAddress } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import { OwnDeveloperView, ownDeveloperExample, ownDeveloperView } from '../developers/schema.ts'
import { ofOperators, Verdict } from './schema.ts'

const params = z.object({ address: FoldedAddress.meta({ example: example.wallet }) })
const json200 = { description: 'The developer.', schema: OwnDeveloperView, example: ownDeveloperExample }

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
    json: { schema: Verdict, example: { action: 'approve' } },
    errors: ['not_found', 'invalid_state'],
    responses: { 200: json200 },
  },
  (c, { params: { address }, json: verdict }) => decide(c, address, 'enrollment', verdict),
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
    json: { schema: Verdict, example: { action: 'reject', reason: 'The website is not yours.' } },
    errors: ['not_found', 'invalid_state'],
    responses: { 200: json200 },
  },
  (c, { params: { address }, json: verdict }) => decide(c, address, 'verification', verdict),
)

async function decide(
  c: HubContext,
  address: string,
  what: 'enrollment' | 'verification',
  { action, reason }: z.output<typeof Verdict>,
): Promise<Answer> {
  const { developers } = c.var.services
  const operator = sessionOf(c).address
  const decided = await developers.decide(address, what, action, { operator, reason }, unixNow())
  const developer = await developers.find(address)
  if (developer === null) throw new ApiError('not_found', `${address} has never applied for enrollment.`)
  if (decided === 'invalid_state') {
    const granted = what === 'enrollment' ? 'active' : 'verified'
    const rule =
      action === 'approve'
        ? 'only a pending or rejected one can be approved'
        : `only a pending or ${granted} one can be rejected`
    throw new ApiError('invalid_state', `The ${what} is ${developer[what]}; ${rule}.`, {
      details: { state: developer[what] },
    })
  }
  return json(ownDeveloperView(developer))
}
