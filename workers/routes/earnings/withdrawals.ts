import * as z from 'zod'
import { withdrawalStates } from '../../../protocol/actions/index.ts'
import { defaultAllowances } from '../../actions/allowances.ts'
import type { HubContext } from '../../context.ts'
import { withdrawalStanding } from '../../earnings/withdrawal-standing.ts'
import { ApiError, unavailable } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Amount, Bytes32, Timestamp, TokenView } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { refundRelay, spendRelay } from '../../middleware/rate-limit.ts'
import { bringHubAction } from '../../outbox/hub-actions.ts'
import { defineRoute, reply } from '../../route.ts'
import type { NewClaim, Withdrawal } from '../../stores/withdrawals.ts'
import { WithdrawalStore } from '../../stores/withdrawals.ts'
import { receiptExample } from '../explorer/schema.ts'
import { unknownProject } from '../projects/access.ts'
import { tokenExample } from '../projects/example.ts'

/** As many as a vault takes in one transaction. */
const payoutsMax = 100
/** Vaults of one request: each is a transaction, which the request prepares. */
const vaultsMax = 10
/** A request looks for free payouts this often, since other requests of the same wallet may be faster. */
const triesMax = 3

const WithdrawalView = z
  .strictObject({
    withdrawal_id: z.string().describe('For collateral, the id for `GET /v1/transactions/{id}`.'),
    kind: z.enum(['claim', 'collateral']),
    status: z
      .enum(withdrawalStates)
      .describe(
        '`pending` until a transaction is on its way, then `processing`. `completed` when the payment is on chain; a reorganisation can revert it for a while. `failed` if nothing was paid: the payouts can then be claimed again.',
      ),
    amount: Amount.describe('The requested amount; after the end, the paid amount.'),
    token: TokenView,
    recipient: Address,
    epochs: z
      .array(
        z
          .strictObject({
            project_id: Bytes32,
            epoch: z.int(),
            fee: Amount.describe('Fee of the hub; always 0.'),
          })
          .meta({ id: 'WithdrawalEpoch' }),
      )
      .describe('The payouts; none for collateral.'),
    subscription_id: Bytes32.nullable().describe(
      'The subscription whose collateral is withdrawn; null for payouts.',
    ),
    fee: Amount,
    tx_hash: Bytes32.nullable().describe(
      'The latest transaction. Once the withdrawal is completed: the last transaction that paid, from the hub or from another sender.',
    ),
    requested_at: Timestamp,
    completed_at: Timestamp.nullable(),
    error: z.nullable(z.string()).describe('The reason for a delay, or for an incomplete payment.'),
  })
  .meta({ id: 'Withdrawal' })

const withdrawalExample: z.output<typeof WithdrawalView> = {
  withdrawal_id: 'q7Rk2mX9pLw4sTzB00',
  kind: 'claim',
  status: 'processing',
  amount: receiptExample.totals.miner,
  token: tokenExample,
  recipient: example.wallet,
  epochs: [{ project_id: receiptExample.project_id, epoch: receiptExample.round, fee: '0' }],
  subscription_id: null,
  fee: '0',
  tx_hash: example.digest,
  requested_at: example.time,
  completed_at: null,
  error: null,
}

function withdrawalView(withdrawal: Withdrawal): z.output<typeof WithdrawalView> {
  const { status, amount, txHash, completedAt, error } = withdrawalStanding(withdrawal)
  const { withdrawalId, kind, token, account, projectId, epochs, subscriptionId, requestedAt } = withdrawal
  return {
    withdrawal_id: withdrawalId,
    kind,
    status,
    amount,
    token,
    recipient: account,
    epochs: projectId === null ? [] : epochs.map((epoch) => ({ project_id: projectId, epoch, fee: '0' })),
    subscription_id: subscriptionId,
    fee: '0',
    tx_hash: txHash,
    requested_at: requestedAt,
    completed_at: completedAt,
    error,
  }
}

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
      fetch: (after, limit) => c.var.services.store(WithdrawalStore).list(callerOf(c), after, limit),
      view: withdrawalView,
    }),
)

const ClaimInput = z
  .strictObject({
    project_ids: z
      .array(Bytes32)
      .min(1)
      .max(vaultsMax)
      .optional()
      .describe('The projects to claim from. Default: every project with claimable payouts.'),
  })
  .meta({ id: 'ClaimInput' })

export const claimPayouts = defineRoute(
  {
    method: 'post',
    path: '/v1/me/withdrawals/claims',
    operationId: 'claimPayouts',
    tag: 'Earnings',
    summary: 'Have your payouts claimed',
    description: `The hub sends one transaction to each vault, and pays for it; the vault pays the wallet. A withdrawal takes the ${payoutsMax} oldest payouts of a vault, and a request takes ${vaultsMax} vaults: ask again while \`more\` is true. A payout is in one open withdrawal at most. Anybody may claim a payout meanwhile: it is paid once, to the wallet. If the token refuses a payment, the payout can be claimed again. The hub sends ${defaultAllowances.claim_payouts} such transactions for a wallet in a day that begins at 00:00 UTC, unless its operators chose another number; further withdrawals are \`pending\` until the next day, or until the wallet submits the proofs of \`GET /v1/me/claims\` itself.`,
    auth: { session: true },
    budget: 'claim',
    idempotent: true,
    stores: 'records',
    json: {
      schema: ClaimInput,
      example: { project_ids: [withdrawalExample.epochs[0]?.project_id] },
      optional: true,
    },
    errors: ['not_found', 'conflict'],
    responses: reply(
      202,
      'One withdrawal for each vault.',
      z
        .strictObject({
          items: z.array(WithdrawalView),
          more: z.boolean().describe('Whether payouts are left that another request can claim.'),
        })
        .meta({ id: 'WithdrawalList' }),
      { items: [withdrawalExample], more: false },
      { Location: 'The list of the withdrawals.' },
    ),
  },
  async (c, { json: { project_ids } }) => {
    const { store, derived, claims, clock } = c.var.services
    const withdrawals = store(WithdrawalStore)
    const name = derived.alphanumerics(c.var.operation, 'withdrawals', 16)
    const earlier = c.var.operation.isRetry ? await withdrawals.requestedAs(name) : []
    const ids = earlier.length > 0 ? earlier : await request(c, project_ids ?? null, name)
    await Promise.all(ids.map((id) => bringNow(c, id)))
    const [made, left] = await Promise.all([
      withdrawals.findMany(ids),
      claims.free(sessionOf(c).address, project_ids ?? null, await clock.now(), {
        projectsMax: 1,
        payoutsMax: 1,
      }),
    ])
    return json({ items: made.map(withdrawalView), more: left.length > 0 }, 202, {
      Location: '/v1/me/withdrawals',
    })
  },
)

/**
 * @throws {@link ApiError} 404 `not_found`, 409 `conflict` when nothing can be claimed, 429 `rate_limited`, 503 `unavailable` while the index
 * is behind the chain: payouts that were claimed would look unclaimed, and released ones unposted.
 */
async function request(c: HubContext, projectIds: readonly string[] | null, name: string): Promise<string[]> {
  const { chainIndex, claims, projects, store, clock } = c.var.services
  const withdrawals = store(WithdrawalStore)
  const account = sessionOf(c).address
  const unknown = projectIds && (await projects.findHidden(projectIds, account))
  if (unknown) throw unknownProject(unknown)
  // Before what can be claimed is read, which may be indexed meanwhile.
  const [now, isBehind] = await Promise.all([clock.now(), chainIndex.isBehind()])
  if (isBehind) throw unavailable('The index of the chain', new Error('it is far behind the chain'))
  for (let tries = 0; tries < triesMax; tries++) {
    const free = await claims.free(account, projectIds, now, { projectsMax: vaultsMax, payoutsMax })
    if (free.length === 0)
      throw new ApiError('conflict', 'No payout can be claimed, except those that are being claimed already.')
    const wanted = free.map((payouts, i): NewClaim => ({ withdrawalId: name + i, account, payouts }))
    await spendRelay(c, account, wanted.length)
    const ids = await withdrawals.request(wanted, now)
    refundRelay(c, account, wanted.length - ids.length)
    if (ids.length > 0) return ids
  }
  throw new ApiError(
    'conflict',
    'Other requests of the wallet claim the same payouts. Read the withdrawals of the wallet.',
  )
}

/** If the claim cannot be sent now, the schedule sends it. */
const bringNow = (c: HubContext, id: string): Promise<void> =>
  bringHubAction(c.env, 'claim_payouts', id).catch((error) =>
    console.error(`${c.var.requestId} the withdrawal ${id} could not be sent`, error),
  )
