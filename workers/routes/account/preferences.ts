import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Bytes32, characters, mapOf } from '../../http/formats.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'

/** Every member as it is kept; what a request leaves out is the empty one. */
const members = {
  watchlist: z.array(Bytes32).max(200, 'must have at most 200 items').meta({ description: 'Project ids.' }),
  recent_searches: z.array(characters(100)).max(20, 'must have at most 20 items'),
  saved_addresses: z
    .array(z.strictObject({ address: Address, label: characters(64) }))
    .max(20, 'must have at most 20 items'),
  earnings_goal: z
    .strictObject({
      token: characters(64),
      amount: z
        .string()
        .regex(/^(0|[1-9][0-9]{0,77})$/, 'must be a token amount: decimal digits, in base units'),
      period: z.enum(['day', 'week', 'month']),
    })
    .nullable(),
  notifications: mapOf<boolean>(notificationProblem, { type: 'boolean' }).refine(
    (map) => Object.keys(map).length <= 64,
    'must have at most 64 keys',
  ),
  display_name: characters(32).nullable(),
}

function notificationProblem(key: string, on: unknown): string | null {
  if (key === '' || [...key].length > 64) return 'must have a key of 1 to 64 characters'
  return typeof on === 'boolean' ? null : 'must be true or false'
}

const Preferences = z.strictObject(members).meta({ id: 'Preferences' })

const PreferencesInput = z
  .strictObject({
    watchlist: members.watchlist.default([]),
    recent_searches: members.recent_searches.default([]),
    saved_addresses: members.saved_addresses.default([]),
    earnings_goal: members.earnings_goal.default(null),
    notifications: members.notifications.default({}),
    display_name: members.display_name.default(null),
  })
  .meta({ id: 'PreferencesInput' })

const preferencesExample: z.output<typeof Preferences> = {
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
    summary: 'Read the own preferences',
    auth: { session: true },
    responses: {
      200: {
        description: 'What was saved, or the empty defaults.',
        schema: Preferences,
        example: preferencesExample,
      },
    },
  },
  async (c) => json(PreferencesInput.parse((await c.var.services.preferences.find(callerOf(c))) ?? {})),
)

export const putPreferences = defineRoute(
  {
    method: 'put',
    path: '/v1/me/preferences',
    operationId: 'putPreferences',
    tag: 'Account',
    summary: 'Replace the own preferences',
    description: 'The whole object is replaced; what is left out goes back to its default.',
    auth: { session: true },
    json: { schema: PreferencesInput, example: preferencesExample },
    responses: { 200: { description: 'As saved.', schema: Preferences, example: preferencesExample } },
  },
  async (c, { json: value }) => {
    await c.var.services.preferences.replace(sessionOf(c).address, value, unixNow())
    return json(value)
  },
)
