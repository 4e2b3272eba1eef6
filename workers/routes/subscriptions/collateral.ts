import * as z from 'zod'
import { profileStrings, resolveProfile } from '../../../protocol/identity/index.ts'
import { readBalance } from '../../actions/account-state.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { Amount } from '../../http/formats.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { spendAddressBudget } from '../../middleware/rate-limit.ts'
import { defineRoute, ok } from '../../route.ts'
import { bondedExample, SubscriptionView, subscriptionView } from './schema.ts'

const balanceField = profileStrings(resolveProfile({ prefix: '{{prefix}}' })).balance_field

/** As many as the largest page has. */
const shownMax = 200

const Collateral = z
  .strictObject({
    bonded: Amount.describe('Collateral of active, paused and jailed subscriptions.'),
    unbonding: Amount,
    withdrawable: Amount,
    slashed_total: Amount,
    pending_slashes: z.int(),
    [balanceField]: Amount.nullable().describe(
      'Token balance of the wallet; null while the chain does not answer.',
    ),
    subscriptions: z.array(SubscriptionView),
  })
  .meta({ id: 'CollateralSummary' })

export const getCollateral = defineRoute(
  {
    method: 'get',
    path: '/v1/me/collateral',
    operationId: 'getCollateral',
    tag: 'Subscriptions',
    summary: 'Sum up your collateral',
    description: `The sum over all open subscriptions. Shows the newest ${shownMax} of them; \`GET /v1/me/subscriptions\` lists all.`,
    auth: { session: true },
    responses: ok('As of the newest indexed block.', Collateral, {
      bonded: '6000000000000000000',
      unbonding: '0',
      withdrawable: '0',
      slashed_total: '0',
      pending_slashes: 0,
      [balanceField]: '994000000000000000000',
      subscriptions: [bondedExample],
    }),
  },
  async (c) => {
    const caller = callerOf(c)
    const { subscriptions, collateral, clock } = c.var.services
    const now = await clock.now()
    const [newest, totals] = await Promise.all([
      subscriptions.listOpen(caller, shownMax),
      collateral.totals(caller, now),
    ])
    const balance = await balanceOf(c, sessionOf(c).address)
    return json({
      bonded: String(totals.bonded),
      unbonding: String(totals.unbonding),
      withdrawable: String(totals.withdrawable),
      slashed_total: String(totals.slashed),
      pending_slashes: totals.pendingSlashes,
      [profileStrings(c.var.settings.PROFILE).balance_field]: balance,
      subscriptions: newest.map((subscription) => subscriptionView(subscription, now)),
    })
  },
)

/** The rest of the answer is worth having without it. */
async function balanceOf(c: HubContext, address: string): Promise<string | null> {
  const contracts = c.var.settings.CHAIN_CONTRACTS
  if (contracts === undefined) return null
  try {
    await spendAddressBudget(c, 'chain_calls')
    return String(await readBalance(c, contracts.token, address))
  } catch (error) {
    if (error instanceof ApiError && ['unavailable', 'rate_limited'].includes(error.code)) return null
    throw error
  }
}
