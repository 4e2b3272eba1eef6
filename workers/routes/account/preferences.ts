import * as z from 'zod'
import { unixNow } from '../../context.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Bytes32, characters } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'

export const Preferences = z
  .strictObject({
    watchlist: z
      .array(Bytes32)
      .max(200, 'must have at most 200 items')
      .default([])
      .meta({ description: 'Project ids.' }),
    recent_searches: z.array(characters(100)).max(20, 'must have at most 20 items').default([]),
    saved_addresses: z
      .array(z.strictObject({ address: Address, label: characters(64) }))
      .max(20, 'must have at most 20 items')
      .default([]),
    earnings_goal: z
      .strictObject({
        token: characters(64),
        amount: z
          .string()
          .regex(/^(0|[1-9][0-9]{0,77})$/, 'must be a token amount: decimal digits, in base units'),
        period: z.enum(['day', 'week', 'month']),
      })
      .nullable()
      .default(null),
    notifications: z
      .record(characters(64, 1), z.boolean())
      .refine((map) => Object.keys(map).length <= 64, 'must have at most 64 keys')
      .default({}),
    display_name: characters(32).nullable().default(null),
  })
  .meta({ id: 'Preferences' })

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
  async (c) => json(Preferences.parse((await c.var.services.preferences.find(sessionOf(c).address)) ?? {})),
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
    json: { schema: Preferences, example: preferencesExample },
    responses: { 200: { description: 'As saved.', schema: Preferences, example: preferencesExample } },
  },
  async (c, { json: value }) => {
    await c.var.services.preferences.replace(sessionOf(c).address, value, unixNow())
    return json(value)
  },
)
