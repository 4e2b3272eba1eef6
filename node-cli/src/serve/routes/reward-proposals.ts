import { epochReceiptBody, parseEpochReceipt } from '../../../../protocol/earnings/index.ts'
import { FormatError, isUnsigned, type JsonObject } from '../../../../protocol/encoding/index.ts'
import { type EpochReceipts, type Proposal, ReceiptDiffers } from '../epochs/epoch-receipts.ts'
import { RoundsOpen } from '../epochs/open-rounds.ts'
import { ApiError, invalidField } from '../http/api-error.ts'
import { parseJsonObject } from '../http/json-body.ts'
import { json, type Route } from '../http/route.ts'
import { noValidator, orFault } from './faults.ts'

/** 10,000 recipients take 1.6 MB at most. */
const bytesMax = 4 * 1024 * 1024
const valuesMax = 60_000
/** After how long rounds that are open may be over. */
const retrySeconds = 10

/** Attests the receipt of an epoch that this node computes alike. @param receipts Null on a node that settles no epochs. */
export const rewardProposalsRoute = (receipts: EpochReceipts | null): Route => ({
  method: 'POST',
  path: '/consensus/reward-proposals',
  access: 'node or bearer',
  body: { contentType: 'application/json', bytesMax },
  handle: async ({ body }) => {
    if (receipts === null) throw noValidator()
    const proposal = readProposal(parseJsonObject(body, valuesMax))
    return json(200, await orFault(() => orDifference(receipts.judge(proposal))))
  },
})

function readProposal({ attempt, ...receipt }: JsonObject): Proposal {
  if (!isUnsigned(attempt)) throw invalidField('attempt', 'must be a whole number from 0')
  try {
    const parsed = parseEpochReceipt({ ...receipt, attestations: [] })
    return { body: epochReceiptBody(parsed), receiptHash: parsed.receipt_hash, attempt }
  } catch (error) {
    if (error instanceof FormatError) throw invalidField(error.field, error.message)
    throw error
  }
}

async function orDifference<T>(judged: Promise<T>): Promise<T> {
  try {
    return await judged
  } catch (error) {
    if (error instanceof RoundsOpen)
      throw new ApiError('invalid_state', error.message, {
        status: 425,
        details: { reason: 'rounds_open', until: error.until },
        headers: { 'Retry-After': String(retrySeconds) },
        cause: error,
      })
    if (!(error instanceof ReceiptDiffers)) throw error
    throw new ApiError('invalid_evidence', `This node does not sign this. ${error.message}`, {
      details: { difference: error.difference },
      cause: error,
    })
  }
}
