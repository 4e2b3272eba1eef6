import * as z from 'zod'
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
import { viewerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { receiptExample } from '../explorer/schema.ts'
import { tokenExample } from '../projects/example.ts'

/** Each costs a read of its proof. */
const shownMax = 200

const ClaimView = z
  .strictObject({
    project_id: Bytes32,
    vault: Address,
    epoch: z.int(),
    account: Address,
    amount: Amount,
    proof: z.array(Bytes32).describe('Sibling hashes from the leaf to the root, as the vault expects them.'),
    token: TokenView,
    claimable_at: Timestamp.describe('End of the challenge period.'),
  })
  .meta({ id: 'Claim' })

export const listClaims = defineRoute(
  {
    method: 'get',
    path: '/v1/me/claims',
    operationId: 'listClaims',
    tag: 'Earnings',
    summary: 'List claimable payouts, with the proofs for their vaults',
    description: `Payouts of the calling wallet, or of the wallet in \`address\`: anyone may claim for a miner, and the vault pays the miner. Ordered by project, oldest epoch first, ${shownMax} at most; \`more\` says whether others wait.`,
    query: z.strictObject({
      address: FoldedAddress.optional().meta({ example: example.wallet }),
      project_id: PathProject.optional(),
    }),
    responses: ok(
      'Released payouts that are not claimed yet.',
      z
        .strictObject({
          items: z.array(ClaimView),
          more: z.boolean().describe('Whether more payouts can be claimed than are listed.'),
        })
        .meta({ id: 'ClaimList' }),
      {
        more: false,
        items: [
          {
            project_id: receiptExample.project_id,
            vault: receiptExample.vault_address,
            epoch: receiptExample.round,
            account: example.wallet,
            amount: receiptExample.totals.miner,
            proof: [example.digest],
            token: tokenExample,
            claimable_at: example.time,
          },
        ],
      },
    ),
  },
  async (c, { query: { address, project_id } }) => {
    const { claims, epochs } = c.var.services
    const account = address ?? viewerOf(c)
    if (account === null) throw invalidField('address', 'must name a wallet if the request has no session')
    const payouts = await claims.claimable(
      account,
      project_id ?? null,
      await c.var.services.clock.now(),
      shownMax + 1,
    )
    const items = await Promise.all(
      payouts.slice(0, shownMax).map(async (payout) => ({
        project_id: payout.projectId,
        vault: payout.vault,
        epoch: payout.epoch,
        account,
        amount: payout.amount,
        proof: await epochs.proof(payout, payout.leaf),
        token: payout.token,
        claimable_at: payout.releaseAt,
      })),
    )
    return json({ items, more: payouts.length > shownMax })
  },
)
