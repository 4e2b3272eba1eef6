import type { JobName } from './jobs.ts'

/** A job on at most this much data takes a few milliseconds at most: less than a thread takes to start. */
const bytesMax = 32 * 1024
/** Less for an artifact: it is packed, and its content is checked instruction by instruction. */
const artifactBytesMax = 4 * 1024
/** Bytes that each value counts in addition to its content. */
const valueBytes = 8

/** Jobs that read the database, or a set that was read before: only their caller knows how many bytes they read. */
const reading: ReadonlySet<JobName> = new Set<JobName>([
  'buildReceipt',
  'checkTaskVote',
  'computeIndexChange',
  'computeStateIndex',
  'findSeat',
  'judgeRound',
  'statePage',
  'stateSummary',
])

/** Whether a job works on so little data that it is a short one. @param readBytes Bytes that it reads; null if unknown. */
export function isShort(name: JobName, input: readonly unknown[], readBytes: number | null): boolean {
  if (readBytes === null && reading.has(name)) return false
  const max = name === 'readArtifact' ? artifactBytesMax : bytesMax
  return bytesLeft(input, max - (readBytes ?? 0)) >= 0
}

/** Subtracts the size of a value from a number of bytes, and stops below zero, however large the value is. */
function bytesLeft(value: unknown, bytes: number): number {
  let left = bytes - valueBytes
  if (typeof value === 'string') return left - value.length
  if (ArrayBuffer.isView(value)) return left - value.byteLength
  if (typeof value !== 'object' || value === null) return left
  for (const [key, member] of Object.entries(value)) {
    if (left < 0) return left
    left = bytesLeft(member, left - key.length)
  }
  return left
}
