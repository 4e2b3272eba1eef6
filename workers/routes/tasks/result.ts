import type * as z from 'zod'
import { base64ToBytes } from '../../../protocol/encoding/index.ts'
import { hashReceipt } from '../../../protocol/execution/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { SimulatedResult } from '../../stores/simulations.ts'
import { shownOutput } from './output.ts'
import type { ExecuteResult } from './schema.ts'

/** The view of the result on which a quorum of the validators agreed in a direct round. */
export const resultView = ({
  roundId,
  receipt,
  output,
  events,
  votes,
  quorum,
  error,
}: SimulatedResult): z.output<typeof ExecuteResult> => ({
  round_id: roundId,
  success: receipt.success,
  ...shownOutput(base64ToBytes(output ?? '') ?? new Uint8Array()),
  receipt_hash: hashReceipt(receipt),
  gas_used: receipt.gas_used,
  events: [...(events ?? [])],
  consensus: { state: 'finalized', votes, quorum },
  error: !receipt.success
    ? (error ?? 'failed')
    : output === null || events === null
      ? 'output_not_kept'
      : null,
})

/** @throws {@link ApiError} 403 `forbidden` where the hub runs no direct rounds. */
export function requireDirectRounds({ var: { settings } }: HubContext): void {
  if (!settings.DIRECT_ROUNDS_ENABLED)
    throw new ApiError(
      'forbidden',
      'Direct rounds are turned off on this hub. Submit a task to a project instead.',
      { details: { reason: 'turned_off' } },
    )
}
