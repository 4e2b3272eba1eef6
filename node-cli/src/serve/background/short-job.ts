import type { JobName } from './jobs.ts'

/** A job on so little data takes a few milliseconds at most: less than a thread takes to start. */
const bytesMax = 32 * 1024
/** An artifact is packed, and what is in it is checked instruction by instruction. */
const artifactBytesMax = 4 * 1024
/** Bytes that each value counts in addition to its content. */
const valueBytes = 8

/** Jobs that read the database, or a set that was read before: only their caller can tell how much that is. */
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

/** Whether the work of a job is bounded by so little that it is a short one. @param readBytes What it reads; null where nobody told. */
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
