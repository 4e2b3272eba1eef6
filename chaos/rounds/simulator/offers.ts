import { base64ToBytes } from '../../../protocol/encoding/index.ts'
import type { Profile } from '../../../protocol/identity/index.ts'
import type { OfferFrame, VoteFrame } from '../../../protocol/link/index.ts'
import { createTaskVote } from '../../../protocol/rounds/index.ts'
import type { SigningKey } from '../../../protocol/signatures/index.ts'
import type { Conduct } from '../../harness/conduct.ts'
import { honestResult, type Result, wrongResult } from './results.ts'

export const roundOf = ({ offer_id }: Pick<OfferFrame, 'offer_id'>): string =>
  `task:0x${offer_id.slice(0, 64)}`

export function resultsOf({ task }: OfferFrame, input: Uint8Array, conduct: Conduct, self: string): Result[] {
  const honest = honestResult(task, input)
  const shared = wrongResult(task, input, 'of many')
  switch (conduct) {
    case 'lies':
      return [shared]
    case 'lies_alone':
      return [wrongResult(task, input, self)]
    case 'equivocates':
      return [honest, shared]
    default:
      return [honest]
  }
}

export async function inputOf({ input_b64, input_url }: OfferFrame): Promise<Uint8Array> {
  if (input_b64 !== undefined) return base64ToBytes(input_b64) ?? new Uint8Array(0)
  const response = await fetch(input_url as string)
  return new Uint8Array(await response.arrayBuffer())
}

export function createVoteFrame(
  profile: Profile,
  key: SigningKey,
  { task, position, offer_id }: OfferFrame,
  payout_address: string,
  { receipt, output }: Result,
): VoteFrame {
  const vote = createTaskVote(profile, key, { task, receipt, payout_address, position })
  return { type: 'vote', offer_id, vote, output_b64: Buffer.from(output).toString('base64'), events: [] }
}
