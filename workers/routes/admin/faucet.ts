import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { Amount } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { readFaucet } from '../faucet/get.ts'
import { Faucet, faucetExample } from '../faucet/schema.ts'
import { ofOperators, Reason } from './schema.ts'

const FaucetSettingsInput = z
  .strictObject({
    enabled: z.boolean().optional(),
    amount: Amount.refine((amount) => amount !== '0', 'must be above 0; `enabled` closes the faucet')
      .nullish()
      .describe('Tokens of one drip; null for the setting of the deployment.'),
    eth_amount: Amount.nullish().describe(
      'Native currency of one drip; null for the setting of the deployment.',
    ),
    cooldown_secs: z
      .int()
      .min(1)
      .max(365 * 86_400)
      .nullish()
      .describe('Of turns that begin from now on; null for the setting of the deployment.'),
    reason: Reason,
  })
  .meta({ id: 'FaucetSettingsInput' })

export const putFaucet = defineRoute(
  {
    method: 'put',
    path: '/admin/v1/faucet',
    operationId: 'putFaucet',
    summary: 'Open or close the faucet, and set its amounts and its cooldown',
    description: 'Members that are left out do not change.',
    ...ofOperators,
    json: {
      schema: FaucetSettingsInput,
      example: { enabled: true, amount: '500000000000000000000', reason: 'Supply runs low.' },
    },
    responses: ok('The faucet with the new settings.', Faucet, faucetExample),
  },
  async (c, { json: { enabled, amount: amountWei, eth_amount: nativeWei, cooldown_secs, reason } }) => {
    await c.var.services.faucetSettings.put(
      { enabled, amountWei, nativeWei, cooldownSecs: cooldown_secs },
      c.var.settings.FAUCET_ENABLED,
      { operator: sessionOf(c).address, reason },
      await c.var.services.clock.now(),
    )
    return json(await readFaucet(c))
  },
)
