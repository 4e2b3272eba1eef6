import { base64ToBytes } from '../../../protocol/encoding/index.ts'
import type { ExecutionEvent } from '../../../protocol/execution/index.ts'
import { bytesToBase64 } from '../../http/base64.ts'
import type { RoundFiles } from '../../stores/round-files.ts'
import type { RoundRow } from '../../stores/schema/index.ts'

type Kept = Pick<RoundRow, 'output' | 'outputHash' | 'events' | 'eventsHash'>

/** The output and the events of a run; null for either if it is not stored, or no longer. */
export async function readOutput(
  files: RoundFiles,
  { output, outputHash, events, eventsHash }: Kept,
): Promise<{ bytes: Uint8Array | null; events: readonly ExecutionEvent[] | null }> {
  const [bytes, eventsBytes] = await Promise.all([
    output !== null ? base64ToBytes(output) : outputHash && files.payload(outputHash),
    events === null && eventsHash !== null ? files.payload(eventsHash) : null,
  ])
  return {
    bytes: bytes || null,
    events: eventsBytes ? (JSON.parse(new TextDecoder().decode(eventsBytes)) as ExecutionEvent[]) : events,
  }
}

/** Output as a text, and in base64 beside it if it is not text. A byte order mark is part of it. */
export function shownOutput(bytes: Uint8Array): { output: string; output_b64?: string } {
  const output = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes)
  const isText =
    output === '' || !output.includes('\ufffd') || sameBytes(new TextEncoder().encode(output), bytes)
  return isText ? { output } : { output, output_b64: bytesToBase64(bytes) }
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, i) => byte === other[i])
