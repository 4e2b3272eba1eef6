import * as z from 'zod'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import { WithdrawalView, withdrawalExample, withdrawalView } from './schema.ts'

export const listWithdrawals = defineRoute(
  {
    method: 'get',
    path: '/v1/me/withdrawals',
    operationId: 'listWithdrawals',
    tag: 'Earnings',
    summary: 'List the withdrawals of your wallet, newest first',
    description:
      'Payouts that the hub claims, and collateral that is withdrawn by signature. The list does not include claims and withdrawals by transactions of the wallet itself.',
    auth: { session: true },
    query: z.strictObject(pageQuery),
    responses: onePage('WithdrawalPage', WithdrawalView, withdrawalExample),
  },
  (c, { query }) =>
    answerPage(c, {
      list: 'withdrawals',
      isOwn: true,
      query,
      by: ['requestedAt', 'withdrawalId'],
      fetch: (after, limit) => c.var.services.withdrawals.list(callerOf(c), after, limit),
      view: withdrawalView,
    }),
)
