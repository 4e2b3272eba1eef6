import type { Result } from '../../durable-objects/round/round.ts'
import {
  base64ToBytes,
  CanonicalJsonError,
  encodeCanonicalJson,
  hasExactKeys,
  isObject,
} from '../../protocol/encoding/index.ts'
import {
  type ExecutionEvent,
  type ExecutionReceipt,
  hashEvents,
  hashPayload,
  runErrorText,
} from '../../protocol/execution/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { voteFrameBytesMax } from '../../protocol/link/index.ts'
import { bytesToBase64 } from '../http/base64.ts'
import type { RoundFiles } from '../stores/round-files.ts'

/** Up to this many bytes are stored in the row; what is larger is a file under its hash. */
export const inlineBytesMax = 4096

export interface ClaimedRun {
  output_b64: unknown
  events: unknown
}

/** The result of a run, checked against its receipt; or the first mismatch. */
export type ReadRun =
  | { ok: true; output: Uint8Array; events: readonly ExecutionEvent[]; eventsText: string }
  | { ok: false; problem: string }

export function readRun(receipt: ExecutionReceipt, claimed: ClaimedRun): ReadRun {
  const output = typeof claimed.output_b64 === 'string' ? base64ToBytes(claimed.output_b64) : null
  if (output === null) return { ok: false, problem: 'output_b64 is not base64 with padding' }
  if (hashPayload(output) !== receipt.output_hash)
    return { ok: false, problem: 'output_b64 is not what the receipt names' }
  if (!isEvents(claimed.events)) return { ok: false, problem: 'events is not a list of names and data' }
  try {
    if (hashEvents(claimed.events) !== receipt.events_hash)
      return { ok: false, problem: 'events are not what the receipt names' }
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    return { ok: false, problem: 'events have no canonical form' }
  }
  return { ok: true, output, events: claimed.events, eventsText: encodeCanonicalJson(claimed.events) }
}

/** The error that a validator reports for its own run, beside the receipt; null if the run succeeded, or it reports none. */
export const claimedErrorOf = ({ success }: ExecutionReceipt, claimed: unknown): string | null =>
  success || typeof claimed !== 'string' || claimed === '' ? null : runErrorText(claimed)

const isEvents = (value: unknown): value is ExecutionEvent[] =>
  Array.isArray(value) &&
  value.every(
    (event) => isObject(event) && hasExactKeys(event, ['name', 'data']) && typeof event.name === 'string',
  )

export async function keepRun(
  files: RoundFiles,
  receipt: ExecutionReceipt,
  { output, events, eventsText }: Extract<ReadRun, { ok: true }>,
): Promise<Result> {
  const isOutputLarge = output.length > inlineBytesMax
  const areEventsLarge = Buffer.byteLength(eventsText) > inlineBytesMax
  await Promise.all([
    isOutputLarge && files.putPayload(receipt.output_hash, output),
    areEventsLarge && files.putPayload(receipt.events_hash, eventsText),
  ])
  return {
    receipt,
    output: isOutputLarge ? null : bytesToBase64(output),
    events: areEventsLarge ? null : events,
    fitsVote: fitsVote(output, eventsText),
  }
}

/** Near the limit, a member whose vote fits into a frame is credited, and one whose vote does not fit is excused. */
function fitsVote(output: Uint8Array, eventsText: string): boolean {
  const bytes = 4 * Math.ceil(output.length / 3) + Buffer.byteLength(eventsText)
  return bytes + voteFrameBytesMax <= defaultNetworkParams.relay_max_frame_bytes
}
