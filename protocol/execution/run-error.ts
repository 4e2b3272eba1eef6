import { escapeHidden } from '../encoding/index.ts'

/** Bytes of UTF-8 that are shown of what a run says of its failure. */
export const runErrorBytesMax = 256

/**
 * Why a run failed, as it may be shown: the module chose the text. Hidden characters are escaped, and what is too long is cut between two
 * characters. The result given again stays as it is.
 */
export function runErrorText(error: string): string {
  const text = escapeHidden(error.slice(0, runErrorBytesMax + 1).toWellFormed())
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= runErrorBytesMax) return text
  // As of a stream, the first bytes of a character that is cut are left out.
  return `${new TextDecoder().decode(bytes.subarray(0, runErrorBytesMax - 3), { stream: true })}…`
}
