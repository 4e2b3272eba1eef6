import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { pageOf, pageQuery, paginate } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { Withdrawal } from '../../stores/withdrawals.ts'
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
    responses: {
      200: {
        description: 'One page.',
        schema: pageOf(WithdrawalView).meta({ id: 'WithdrawalPage' }),
        example: { items: [withdrawalExample], next_cursor: null },
      },
    },
  },
  async (c, { query }) => {
    const account = callerOf(c)
    const { rows, next_cursor } = await paginate(c, {
      list: 'withdrawals',
      isOwn: true,
      query,
      position: ({ requestedAt, withdrawalId }: Withdrawal): [number, string] => [requestedAt, withdrawalId],
      fetch: (after, limit) =>
        c.var.services.withdrawals.list(
          account,
          after && { requestedAt: after[0], withdrawalId: after[1] },
          limit,
        ),
    })
    return json({ items: rows.map(withdrawalView), next_cursor })
  },
)
