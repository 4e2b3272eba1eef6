import type { DatabaseSync } from 'node:sqlite'

/** Longer than two heartbeats are apart. */
const pauseMs = 75_000

interface Span {
  readonly id: number
  readonly lastAt: number
}

/** When the hub heard this node without a pause. @param monotonicMs A clock that nobody moves: network time leaps on a local network. */
export function hubContactStore(db: DatabaseSync, monotonicMs = () => performance.now()) {
  const insert = db.prepare('INSERT INTO hub_contact (first_at, last_at) VALUES (?, ?)')
  const extend = db.prepare('UPDATE hub_contact SET last_at = max(last_at, ?) WHERE id = ?')
  const spanAt = db.prepare(
    'SELECT id, last_at AS lastAt FROM hub_contact WHERE first_at <= ? ORDER BY first_at DESC, id DESC LIMIT 1',
  )
  /** The span that goes on; every start begins another one. */
  let current: { id: number; heardAtMs: number } | null = null
  return {
    /** The hub has just heard this node. @param now Network time. */
    heard: (now: number): void => {
      const heardAtMs = monotonicMs()
      if (current !== null && heardAtMs - current.heardAtMs <= pauseMs) {
        extend.run(now, current.id)
        current.heardAtMs = heardAtMs
      } else current = { id: Number(insert.run(now, now).lastInsertRowid), heardAtMs }
    },
    /** The span that goes on, by its number; null before the first contact. It changes when the hub comes back after a pause. */
    span: (): number | null => current?.id ?? null,
    /** Whether a span of network time was without a pause; `not_yet` while the next contact decides. */
    covers: (from: number, to: number): 'yes' | 'no' | 'not_yet' => {
      const span = spanAt.get(from) as Span | undefined
      if (span === undefined) return 'no'
      if (span.lastAt >= to) return 'yes'
      return span.id === current?.id ? 'not_yet' : 'no'
    },
  }
}
