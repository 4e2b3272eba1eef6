import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { roles, rolesOf } from '../../auth/roles.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Timestamp } from '../../http/formats.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { countedDevicesMax } from '../../stores/accounts.ts'
import { OwnDeveloperView, ownDeveloperExample, ownDeveloperView } from '../developers/schema.ts'
import { nextEligibleAt } from '../faucet/turns.ts'

const Me = z
  .strictObject({
    address: Address,
    roles: z.array(z.enum(roles)),
    devices: z.int().describe(`Bound devices; ${countedDevicesMax} means this number or more.`),
    subscriptions: z.int().describe('Subscriptions that are not closed.'),
    unread_notifications: z.int(),
    developer: OwnDeveloperView.nullable(),
    faucet_next_eligible_at: Timestamp.nullable().describe(
      'Time from which the wallet may ask the faucet again; null if it need not wait.',
    ),
  })
  .meta({ id: 'Me' })

export const getMe = defineRoute(
  {
    method: 'get',
    path: '/v1/me',
    operationId: 'getMe',
    tag: 'Account',
    summary: 'Show the roles and records of the calling wallet',
    description:
      'Counts its devices, subscriptions and unread notifications, and shows its profile as a developer.',
    auth: { session: true },
    responses: ok('The wallet.', Me, {
      address: example.wallet,
      roles: ['miner', 'developer'],
      devices: 2,
      subscriptions: 1,
      unread_notifications: 0,
      developer: ownDeveloperExample,
      faucet_next_eligible_at: null,
    }),
  },
  async (c) => {
    const { accounts, developers } = c.var.services
    const caller = callerOf(c)
    const [counts, developer] = await Promise.all([accounts.counts(caller), developers.find(caller)])
    const { address } = sessionOf(c)
    const cooldownSecs = counts.faucetCooldownSecs ?? c.var.settings.FAUCET_COOLDOWN_SECONDS
    const next = await nextEligibleAt(c, address, cooldownSecs)
    return json({
      address,
      roles: rolesOf(address, counts, c.var.settings),
      devices: counts.devices,
      subscriptions: counts.subscriptions,
      unread_notifications: counts.unreadNotifications,
      developer: developer && ownDeveloperView(developer),
      faucet_next_eligible_at: next <= unixNow() ? null : next,
    })
  },
)
