import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { type Answer, json } from '../../http/answer.ts'
import { FoldedAddress } from '../../http/formats.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import type { Developer } from '../../stores/developers.ts'
import {
  DeveloperView,
  developerExample,
  developerView,
  OwnDeveloperView,
  ownDeveloperExample,
  ownDeveloperView,
  ProfileChange,
  ProfileUpdate,
} from './schema.ts'

export const getDeveloper = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/{address}',
    operationId: 'getDeveloper',
    tag: 'Developers',
    summary: 'Read the profile of a developer',
    description: 'Without the email address, which only the developer and operators read.',
    params: z.object({ address: FoldedAddress.meta({ example: example.wallet }) }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The public profile.', DeveloperView, developerExample),
  },
  async (c, { params }) => {
    const developer = await c.var.services.developers.find(params.address)
    if (developer?.enrollment !== 'active')
      throw new ApiError('not_found', `${params.address} is not a developer of this network.`)
    return json(developerView(developer))
  },
)

export const getOwnDeveloper = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/me',
    operationId: 'getOwnDeveloper',
    tag: 'Developers',
    summary: 'Read your profile and the state of enrollment and verification',
    description: '404 until the wallet enrolls.',
    auth: { session: true },
    errors: ['not_found'],
    responses: ok('Your profile.', OwnDeveloperView, ownDeveloperExample),
  },
  async (c) => json(ownDeveloperView(await ownDeveloper(c))),
)

export const putOwnDeveloper = defineRoute(
  {
    method: 'put',
    path: '/v1/developers/me',
    operationId: 'putOwnDeveloper',
    tag: 'Developers',
    summary: 'Replace your profile',
    description: 'Replaces every member: one that is left out becomes empty.',
    auth: { session: true },
    stores: 'records',
    json: {
      schema: ProfileUpdate,
      example: {
        display_name: 'Ada Computing',
        bio: 'Rendering for everybody.',
        website: 'https://ada.example',
      },
    },
    errors: ['not_found'],
    responses: ok('The saved profile.', OwnDeveloperView, ownDeveloperExample),
  },
  (c, { json: profile }) => update(c, profile),
)

export const patchOwnDeveloper = defineRoute(
  {
    method: 'patch',
    path: '/v1/developers/me',
    operationId: 'patchOwnDeveloper',
    tag: 'Developers',
    summary: 'Change members of your profile',
    description:
      'Members that are left out do not change; null removes a member. `social` is replaced as a whole.',
    auth: { session: true },
    stores: 'records',
    json: { schema: ProfileChange, example: { website: 'https://ada.example', location: null } },
    errors: ['not_found'],
    responses: ok('The saved profile.', OwnDeveloperView, ownDeveloperExample),
  },
  (c, { json: change }) => update(c, change),
)

async function update(
  c: HubContext,
  { display_name: displayName, ...rest }: z.output<typeof ProfileChange>,
): Promise<Answer> {
  await c.var.services.developers.updateProfile(sessionOf(c).address, { displayName, ...rest }, unixNow())
  return json(ownDeveloperView(await ownDeveloper(c)))
}

/** @throws {@link ApiError} 404 `not_found` when the caller has never applied for enrollment. */
export async function ownDeveloper(c: HubContext): Promise<Developer> {
  const developer = await c.var.services.developers.find(callerOf(c))
  if (!developer)
    throw new ApiError(
      'not_found',
      'This wallet is not enrolled; POST /v1/developers/me/enrollment enrolls it.',
    )
  return developer
}
