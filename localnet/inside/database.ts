import type { Draws } from './draws.ts'
import type { Limits } from './limits.ts'
import type { Statement } from './watch.ts'

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** D1: a way there, a place in the queue of the one thread, and the way back. workerd itself counts parameters and statements. */
export function createDatabase(draws: Draws, limits: Limits) {
  const { tripMs, tripsPerSecond, queuedMsMax, valueBytes } = limits
  let freeMs = 0
  return async (statements: readonly Statement[], run: () => Promise<unknown>): Promise<unknown> => {
    for (const statement of statements)
      if (isTooBig(statement, valueBytes)) throw d1Error('string or blob too big: SQLITE_TOOBIG')
    const busyMs = 1_000 / tripsPerSecond
    const wayMs = Math.max(0, draws.between(tripMs) - busyMs) / 2
    // The time is reserved, not held: an invocation that ends meanwhile keeps nobody waiting.
    const now = Date.now()
    const beginMs = Math.max(now + wayMs, freeMs)
    if (beginMs - now > queuedMsMax) throw d1Error('D1 DB is overloaded. Requests queued for too long.')
    freeMs = beginMs + busyMs
    await pause(beginMs - now)
    const result = await run()
    await pause(beginMs + busyMs + wayMs - Date.now())
    return result
  }
}

const d1Error = (reason: string): Error => new Error(`D1_ERROR: ${reason}`, { cause: new Error(reason) })

/** One value, or all of them where they are one row. */
function isTooBig({ statement, params }: Statement, bytesMax: number): boolean {
  const sizes = params.map(bytesOf)
  const isOneRow = /^\s*insert\b[^?]*\bvalues\s*\([\s?,\d]*\)\s*$/i.test(statement)
  return (
    Math.max(0, ...sizes) > bytesMax || (isOneRow && sizes.reduce((sum, size) => sum + size, 0) > bytesMax)
  )
}

function bytesOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  // No text has more bytes than three for each unit, and most are short.
  return typeof value !== 'string' || value.length < 100_000 ? 8 : new TextEncoder().encode(value).length
}
