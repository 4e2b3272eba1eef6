import { epochReceiptBody, parseEpochReceipt } from '../../../../protocol/earnings/index.ts'
import { FormatError, isUnsigned, type JsonObject } from '../../../../protocol/encoding/index.ts'
import type { EpochReceipts, Proposal } from '../epochs/epoch-receipts.ts'
import { invalidField } from '../http/api-error.ts'
import { parseJsonObject } from '../http/json-body.ts'
import { json, type Route } from '../http/route.ts'
import { noValidator, orFault } from './faults.ts'

/** 10,000 recipients take 1.6 MB at most. */
const bytesMax = 4 * 1024 * 1024
const valuesMax = 60_000

/** Attests the receipt of an epoch that this node computes alike. @param receipts Null on a node that settles no epochs. */
export const rewardProposalsRoute = (receipts: EpochReceipts | null): Route => ({
  method: 'POST',
  path: '/consensus/reward-proposals',
  access: 'node or bearer',
  body: { contentType: 'application/json', bytesMax },
  handle: async ({ body }) => {
    if (receipts === null) throw noValidator()
    const proposal = readProposal(parseJsonObject(body, valuesMax))
    return json(200, await orFault(() => receipts.judge(proposal)))
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
