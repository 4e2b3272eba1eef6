import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import {
  emptyPreferences,
  findPreferencesProblems,
  goalPeriods,
  type Preferences,
  preferencesItemsMax,
  preferencesTexts,
} from '../../../protocol/identity/index.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Amount, Bytes32, judged, lineOf, textOf } from '../../http/formats.ts'
import { refuseProblems } from '../../http/validate.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'

const members = {
  watchlist: z.array(Bytes32).max(preferencesItemsMax.watchlist).describe('Project ids.'),
  recent_searches: z.array(textOf(preferencesTexts.recent_search)).max(preferencesItemsMax.recent_searches),
  saved_addresses: z
    .array(z.strictObject({ address: Address, label: textOf(preferencesTexts.label) }).partial())
    .max(preferencesItemsMax.saved_addresses),
  earnings_goal: z
    .strictObject({
      token: textOf(preferencesTexts.goal_token),
      amount: Amount,
      period: z.enum(goalPeriods),
    })
    .partial()
    .nullable(),
  notifications: z
    .record(textOf(preferencesTexts.notification), z.boolean())
    .meta({ maxProperties: preferencesItemsMax.notifications }),
  display_name: lineOf(preferencesTexts.display_name).nullable(),
}

const PreferencesView = z.strictObject(members).meta({ id: 'Preferences' })

/** A member that a request leaves out becomes empty. */
const PreferencesInput = judged(
  'PreferencesInput',
  z.strictObject({
    watchlist: members.watchlist.default([]),
    recent_searches: members.recent_searches.default([]),
    saved_addresses: members.saved_addresses.default([]),
    earnings_goal: members.earnings_goal.default(null),
    notifications: members.notifications.default({}),
    display_name: members.display_name.default(null),
  }),
)

const preferencesExample: z.output<typeof PreferencesView> = {
  watchlist: [example.digest],
  recent_searches: ['image rendering'],
  saved_addresses: [{ address: example.wallet, label: 'Cold wallet' }],
  earnings_goal: { token: '{{token_symbol}}', amount: '5000000000000000000', period: 'day' },
  notifications: { payouts: true, slashes: true },
  display_name: 'Ada',
}

export const getPreferences = defineRoute(
  {
    method: 'get',
    path: '/v1/me/preferences',
    operationId: 'getPreferences',
    tag: 'Account',
    summary: 'Read your preferences',
    description:
      'Data that a client keeps for the wallet, such as the projects that it watches. Nothing else depends on it.',
    auth: { session: true },
    responses: ok('The saved preferences, or the empty defaults.', PreferencesView, preferencesExample),
  },
  async (c) => json((await c.var.services.preferences.find(callerOf(c))) ?? emptyPreferences),
)

export const putPreferences = defineRoute(
  {
    method: 'put',
    path: '/v1/me/preferences',
    operationId: 'putPreferences',
    tag: 'Account',
    summary: 'Replace your preferences',
    description: 'The whole object is replaced. Fields that are left out go back to their defaults.',
    auth: { session: true },
    stores: 'records',
    json: { schema: PreferencesInput, example: preferencesExample },
    responses: ok('The saved preferences.', PreferencesView, preferencesExample),
  },
  async (c, { json: given }) => {
    refuseProblems(findPreferencesProblems(given))
    const value: Preferences = { ...emptyPreferences, ...(given as Partial<Preferences>) }
    await c.var.services.preferences.replace(sessionOf(c).address, value, unixNow())
    return json(value)
  },
)
