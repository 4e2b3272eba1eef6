import { unixNow } from '../../../durable-objects/clock.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import type { Developer } from '../../stores/developers.ts'
import { ownDeveloper } from './profile.ts'
import {
  EnrollmentRequest,
  OwnDeveloperView,
  ownDeveloperExample,
  ownDeveloperView,
  VerificationRequest,
} from './schema.ts'

export const enroll = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/me/enrollment',
    operationId: 'enroll',
    tag: 'Developers',
    summary: 'Apply as a developer',
    description:
      'After a rejection you can apply again. If the hub approves automatically, the enrollment is active at once.',
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    json: {
      schema: EnrollmentRequest,
      example: {
        developer_type: 'individual',
        display_name: 'Ada Computing',
        email: 'ada@ada.example',
        agreements_accepted: true,
      },
    },
    errors: ['invalid_state'],
    responses: ok(
      'Your profile, with the states of enrollment and verification.',
      OwnDeveloperView,
      ownDeveloperExample,
    ),
  },
  async (c, { json: application }) => {
    const { draft, developer_type, display_name, email = null, website = null, reason = null } = application
    const approved = c.var.settings.AUTO_APPROVE_DEVELOPERS && !draft
    const now = unixNow()
    const stated = { developerType: developer_type, displayName: display_name, email, website, reason }
    const recorded = await c.var.services.developers.enroll(
      {
        ...stated,
        address: sessionOf(c).address,
        enrollment: draft ? 'draft' : approved ? 'active' : 'pending',
        verification: approved ? 'verified' : 'unverified',
        agreementsAcceptedAt: now,
      },
      now,
    )
    const developer = await ownDeveloper(c)
    // An earlier try of the same application is one that was recorded.
    if (recorded === 'invalid_state' && !(c.var.operation.isRetry && states(developer, stated)))
      throw new ApiError('invalid_state', 'An enrollment of this wallet is pending or active already.')
    return json(ownDeveloperView(developer))
  },
)

type Stated = Pick<Developer, 'developerType' | 'displayName' | 'email' | 'website' | 'reason'>

const states = (developer: Developer, stated: Stated): boolean =>
  (Object.keys(stated) as (keyof Stated)[]).every((name) => developer[name] === stated[name])

export const requestVerification = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/me/verification',
    operationId: 'requestVerification',
    tag: 'Developers',
    summary: 'Ask for verification',
    description: 'Needs an enrollment. An operator decides, unless this hub verifies developers at once.',
    auth: { session: true },
    stores: 'records',
    json: {
      schema: VerificationRequest,
      example: { notes: 'Our website names this wallet.' },
      optional: true,
    },
    errors: ['invalid_state'],
    responses: ok(
      'Your profile, with the states of enrollment and verification.',
      OwnDeveloperView,
      ownDeveloperExample,
    ),
  },
  async (c, { json: { notes = null } }) => {
    const verification = c.var.settings.AUTO_APPROVE_DEVELOPERS ? 'verified' : 'pending'
    const { address } = sessionOf(c)
    const recorded = await c.var.services.developers.requestVerification(
      address,
      verification,
      notes,
      unixNow(),
    )
    if (recorded === 'invalid_state')
      throw new ApiError('invalid_state', whyNotNow(await c.var.services.developers.find(address)))
    return json(ownDeveloperView(await ownDeveloper(c)))
  },
)

function whyNotNow(developer: Developer | null): string {
  const wanted = 'verification needs a pending or active one: POST /v1/developers/me/enrollment'
  if (developer === null) return `The wallet has no enrollment; ${wanted}.`
  const { enrollment, verification } = developer
  if (enrollment !== 'pending' && enrollment !== 'active')
    return `The enrollment is ${enrollment}; ${wanted}.`
  return verification === 'pending'
    ? 'The verification is pending already; an operator decides it.'
    : 'The wallet is verified already.'
}
