import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { json } from '../../http/answer.ts'
import { Amount } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { faucetTerms } from '../faucet/terms.ts'
import { ofOperators, Reason } from './schema.ts'

const FaucetSettingsInput = z
  .strictObject({
    enabled: z.boolean(),
    amount: Amount.refine((amount) => amount !== '0', 'must be above 0; `enabled` closes the faucet')
      .nullable()
      .default(null)
      .describe('Tokens of one drip; null for the setting of the deployment.'),
    eth_amount: Amount.nullable()
      .default(null)
      .describe('Native currency of one drip; null for the setting of the deployment.'),
    reason: Reason,
  })
  .meta({ id: 'FaucetSettingsInput' })

const FaucetSettingsView = z
  .strictObject({ enabled: z.boolean(), amount: Amount, eth_amount: Amount })
  .meta({ id: 'FaucetSettings' })

export const putFaucet = defineRoute(
  {
    method: 'put',
    path: '/admin/v1/faucet',
    operationId: 'putFaucet',
    summary: 'Open or close the faucet, and set its amounts',
    ...ofOperators,
    json: {
      schema: FaucetSettingsInput,
      example: { enabled: true, amount: '500000000000000000000', reason: 'Supply runs low.' },
    },
    responses: ok('The new settings.', FaucetSettingsView, {
      enabled: true,
      amount: '500000000000000000000',
      eth_amount: '10000000000000000',
    }),
  },
  async (c, { json: { enabled, amount: amountWei, eth_amount: nativeWei, reason } }) => {
    await c.var.services.faucetSettings.put(
      { enabled, amountWei, nativeWei },
      { operator: sessionOf(c).address, reason },
      unixNow(),
    )
    const terms = await faucetTerms(c)
    return json({
      enabled: terms.enabled,
      amount: String(terms.amountWei),
      eth_amount: String(terms.nativeWei),
    })
  },
)
