import * as z from 'zod'
import { findExecuted } from '../../archive/find-archived.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Bytes32, NodeId, PathBytes32, Timestamp } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import type { ExecutedReceipt } from '../../stores/receipts.ts'
import { epochRound } from '../../stores/round-lists.ts'
import { ExecutionReceiptView, receiptExample as executionExample, RoundId } from '../rounds/schema.ts'
import { attemptIn } from '../rounds/view.ts'
import { AttestedEpochReceipt, Settlement } from './schema.ts'
import { epochView } from './view.ts'

/** Rounds that are named; equal runs have one receipt. */
const roundsMax = 100

const ReceiptEnvelope = z
  .strictObject({
    receipt: ExecutionReceiptView.extend({ receipt_hash: Bytes32 }).meta({ id: 'HashedExecutionReceipt' }),
    node_id: NodeId.optional(),
    public_key: Bytes32.optional(),
    signature: z
      .string()
      .optional()
      .describe('Signature of a node that voted for it; absent without a committee.'),
    timestamp: Timestamp.describe('Time when its newest round agreed on it; not signed.'),
  })
  .meta({ id: 'ReceiptEnvelope' })

const ReceiptLookup = z
  .strictObject({
    kind: z.enum(['execution', 'reward_v1', 'reward_v2']),
    receipt: z.union([ReceiptEnvelope, AttestedEpochReceipt]),
    rounds: z.array(RoundId).describe(`Rounds with this receipt, newest first; ${roundsMax} at most.`),
    settlement: Settlement.optional().describe('The settlement of the epoch; only for a reward receipt.'),
  })
  .meta({ id: 'ReceiptLookup' })

export const getReceipt = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/receipts/{receipt_hash}',
    operationId: 'getReceipt',
    tag: 'Explorer',
    summary: 'Find a receipt by its hash',
    description:
      'The result of a round, or the attested receipt of an epoch. Receipts of minority votes are found only in their rounds.',
    params: z.object({ receipt_hash: PathBytes32.meta({ example: example.digest }) }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The receipt.', ReceiptLookup, {
      kind: 'execution',
      receipt: {
        receipt: { ...executionExample, receipt_hash: example.digest },
        node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
        public_key: example.digest,
        signature: `0x${'5a'.repeat(64)}`,
        timestamp: example.time,
      },
      rounds: [`task:${example.digest}`],
    }),
  },
  async (c, { params: { receipt_hash: hash } }) => {
    const { epochs, clock, paramsSchedule } = c.var.services
    const [executed, epoch, now] = await Promise.all([
      findExecuted(c.var.services, hash, roundsMax),
      epochs.findByReceipt(hash),
      clock.now(),
    ])
    if (executed !== null)
      return json({
        kind: 'execution',
        receipt: await envelopeOf(c, hash, executed),
        rounds: executed.rounds.map(({ roundId }) => roundId),
      })
    if (epoch === null) throw new ApiError('not_found', `The receipt ${hash} does not exist.`)
    return json({
      kind: 'reward_v2',
      receipt: await epochs.receipt(hash),
      rounds: [epochRound(epoch, attemptIn(paramsSchedule)(epoch)).roundId],
      settlement: epochView(epoch, now).settlement,
    })
  },
)

/** The receipt with the signature of one node that voted for it, if there was any. */
async function envelopeOf(
  c: HubContext,
  receiptHash: string,
  { receipt, rounds: [newest], at }: ExecutedReceipt,
): Promise<z.output<typeof ReceiptEnvelope>> {
  const { roundFiles } = c.var.services
  const { roundId = '' } = newest ?? {}
  const votes = roundId.startsWith('exec:')
    ? (await roundFiles.directRound(roundId))?.exec_votes
    : (await roundFiles.round(roundId))?.votes
  const vote = votes?.find(({ receipt_hash }) => receipt_hash === receiptHash)
  return {
    receipt: { ...receipt, receipt_hash: receiptHash },
    ...(vote && { node_id: vote.node_id, public_key: vote.public_key, signature: vote.signature }),
    timestamp: at,
  }
}
