import { escapeHidden } from '../encoding/index.ts'

/** Bytes of UTF-8 that are shown of the error of a run. */
export const runErrorBytesMax = 256

/**
 * The error of a run, in a form that may be shown: the module chose the text. Hidden characters are escaped, and a text that
 * is too long is cut between two characters. Applied to its own result, the function changes nothing.
 */
export function runErrorText(error: string): string {
  const text = escapeHidden(error.slice(0, runErrorBytesMax + 1).toWellFormed())
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= runErrorBytesMax) return text
  // Decoded as a part of a stream, so the first bytes of a character that is cut are left out.
  return `${new TextDecoder().decode(bytes.subarray(0, runErrorBytesMax - 3), { stream: true })}…`
}
