import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Bytes32, FoldedAddress, Timestamp } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { AccountProfileStore } from '../../stores/account-profiles.ts'
import { countedDevicesMax } from '../../stores/accounts.ts'
import { DeveloperView, developerExample, developerView } from '../developers/schema.ts'

export const AccountParams = z.object({ address: FoldedAddress.meta({ example: example.wallet }) })

const AccountProfile = z
  .strictObject({
    address: Address,
    display_name: z.string().nullable(),
    devices_online: z.int(),
    devices_total: z.int().describe(`Bound devices; ${countedDevicesMax} means this number or more.`),
    projects: z.array(Bytes32).describe('Projects that its devices are subscribed to.'),
    units_30d: z.int().describe('Units of attested epochs of the running UTC day and the 30 days before it.'),
    reputation_avg: z.int().optional().describe('The average of its subscriptions, if it has any.'),
    first_seen_at: Timestamp,
    developer: DeveloperView.nullable(),
  })
  .meta({ id: 'AccountProfile' })

export const getAccount = defineRoute(
  {
    method: 'get',
    path: '/v1/accounts/{address}',
    operationId: 'getAccount',
    tag: 'Accounts',
    summary: 'Read the public profile of a wallet',
    description: 'The public facts about a wallet: its devices, its projects and their work.',
    params: AccountParams,
    cache: { maxAgeSeconds: 10 },
    errors: ['not_found'],
    responses: ok('The profile.', AccountProfile, {
      address: example.wallet,
      display_name: 'Ada Computing',
      devices_online: 2,
      devices_total: 3,
      projects: [example.manifestAddress],
      units_30d: 1_200,
      reputation_avg: 5_400,
      first_seen_at: example.time,
      developer: developerExample,
    }),
  },
  async (c, { params: { address } }) => {
    const { clock, developers } = c.var.services
    const profiles = c.var.services.store(AccountProfileStore)
    const today = Math.floor((await clock.now()) / 86_400)
    const [profile, developer] = await Promise.all([
      profiles.find(address, today - 30),
      developers.find(address),
    ])
    if (profile.firstSeenAt === null)
      throw new ApiError('not_found', `This hub knows nothing of the wallet ${address}.`)
    return json({
      address,
      display_name: profile.displayName,
      devices_online: profile.devicesOnline,
      devices_total: profile.devicesTotal,
      projects: profile.projects,
      units_30d: profile.units,
      ...(profile.reputation !== null && { reputation_avg: profile.reputation }),
      first_seen_at: profile.firstSeenAt,
      developer: developer?.enrollment === 'active' ? developerView(developer) : null,
    })
  },
)
