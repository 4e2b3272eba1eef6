import * as z from 'zod'
import { payoutStates } from '../../../protocol/actions/index.ts'
import { expectedReward } from '../../earnings/expected-reward.ts'
import { invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import {
  Address,
  Amount,
  Bytes32,
  FoldedAddress,
  PathProject,
  Timestamp,
  TokenView,
} from '../../http/formats.ts'
import { onePage, pageQuery, paginate } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { EarnedPayout } from '../../stores/earnings.ts'
import { EarningStore } from '../../stores/earnings.ts'
import type { AccruingEpoch } from '../../stores/epoch-rounds.ts'
import { receiptExample } from '../explorer/schema.ts'
import { tokenExample } from '../projects/example.ts'

const PayoutView = z
  .strictObject({
    project_id: Bytes32,
    epoch: z.int(),
    miner: Address,
    units: z.int(),
    amount: Amount,
    token: TokenView,
    status: z
      .enum(payoutStates)
      .describe(
        '`accruing` until validators attest the epoch: the amount counts final rounds as if the epoch ended now. `attested` until the root is posted to the vault, `settled` during the challenge period, `claimable` after it. An amount of 0 stays `settled`.',
      ),
    claim_tx: Bytes32.nullable().describe(
      'The transaction that paid it, from the hub or from another sender.',
    ),
    claimable_at: Timestamp.nullable().describe('Null before the root is posted to the vault.'),
  })
  .meta({ id: 'EpochPayout' })

export const listEarnedEpochs = defineRoute(
  {
    method: 'get',
    path: '/v1/me/earnings/epochs',
    operationId: 'listEarnedEpochs',
    tag: 'Earnings',
    summary: 'List the earnings of a wallet in each epoch, newest first',
    description:
      'Of the calling wallet, or of the wallet in `address`: payouts are public. Lists epochs with final rounds of the wallet that are not attested yet, and attested epochs in which the wallet has units, also if its amount is 0.',
    query: z.strictObject({
      ...pageQuery,
      address: FoldedAddress.optional().meta({ example: example.wallet }),
      project_id: PathProject.optional(),
      claimed: z
        .enum(['true', 'false'])
        .transform((text) => text === 'true')
        .optional()
        .meta({ description: 'Only claimed payouts, or only unclaimed ones.', schema: { type: 'boolean' } }),
    }),
    responses: onePage('EpochPayoutPage', PayoutView, {
      project_id: receiptExample.project_id,
      epoch: receiptExample.round,
      miner: example.wallet,
      units: receiptExample.totals.units,
      amount: receiptExample.totals.miner,
      token: tokenExample,
      status: 'claimable',
      claim_tx: null,
      claimable_at: example.time,
    }),
  },
  async (c, { query }) => {
    const { epochRounds, clock } = c.var.services
    const earnings = c.var.services.store(EarningStore)
    const { project_id: projectId, claimed, address } = query
    const isOwn = address === undefined
    if (isOwn && c.var.credential?.kind !== 'session')
      throw invalidField('address', 'must name a wallet if the request has no session')
    const miner = address ?? callerOf(c)
    const now = await clock.now()
    const { rows, next_cursor } = await paginate(c, {
      list: `earned-epochs of=${address ?? ''} project=${projectId ?? ''} claimed=${claimed ?? ''}`,
      isOwn,
      query,
      position: positionOf,
      fetch: async (after, limit) => {
        const position = after && { endsAt: after[0], projectId: after[1], epoch: after[2] }
        const [accruing, attested] = await Promise.all([
          claimed === true ? [] : epochRounds.accruing(miner, projectId),
          earnings.payouts(miner, { projectId, claimed }, position, limit),
        ])
        const listed = [
          ...accruing.map((row) => ({ endsAt: row.endsAt, view: accruingView(row) })),
          ...attested.map((row) => ({ endsAt: row.endsAt, view: payoutView(row, now) })),
        ]
        return listed
          .filter((one) => after === undefined || newestFirst(after, positionOf(one)) < 0)
          .sort((a, b) => newestFirst(positionOf(a), positionOf(b)))
          .slice(0, limit)
      },
    })
    return json({ items: rows.map(({ view }) => view), next_cursor })
  },
)

interface Listed {
  endsAt: number
  view: z.output<typeof PayoutView>
}

type Position = [endsAt: number, projectId: string, epoch: number]

const positionOf = ({ endsAt, view }: Listed): Position => [endsAt, view.project_id, view.epoch]

const newestFirst = (a: Position, b: Position): number =>
  b[0] - a[0] || (a[1] === b[1] ? b[2] - a[2] : a[1] < b[1] ? 1 : -1)

const accruingView = (row: AccruingEpoch): z.output<typeof PayoutView> => ({
  project_id: row.projectId,
  epoch: row.epoch,
  miner: row.miner,
  units: row.units,
  amount: expectedReward(row.terms, row.units, row.epochUnits),
  token: row.terms.token,
  status: 'accruing',
  claim_tx: null,
  claimable_at: null,
})

/** @param now - Unix seconds. */
const payoutView = (row: EarnedPayout, now: number): z.output<typeof PayoutView> => ({
  project_id: row.projectId,
  epoch: row.epoch,
  miner: row.miner,
  units: row.units,
  amount: row.amount,
  token: row.token,
  status: payoutStatus(row, now),
  claim_tx: row.claimedTx,
  claimable_at: row.releaseAt,
})

function payoutStatus(
  { claimedTx, state, releaseAt, leaf }: EarnedPayout,
  now: number,
): (typeof payoutStates)[number] {
  if (claimedTx !== null) return 'claimed'
  switch (state) {
    case 'vetoed':
      return 'vetoed'
    case 'settled':
      // An amount of 0 is never claimed.
      return leaf !== null && (releaseAt ?? Infinity) <= now ? 'claimable' : 'settled'
    default:
      return 'attested'
  }
}
