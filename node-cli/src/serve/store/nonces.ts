import type { DatabaseSync } from 'node:sqlite'

export type NonceStore = Readonly<ReturnType<typeof nonceStore>>

/** Nonces of signed requests. They are on the disk before a request is handled, so that no restart forgets one. */
export function nonceStore(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO nonces VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const purge = db.prepare('DELETE FROM nonces WHERE expires_at < ?')
  let purgedAt = 0
  return {
    /** Stores a nonce for `keptSeconds`; false when it is there already. */
    spend: (publicKey: string, nonce: string, now: number, keptSeconds: number): boolean => {
      if (now - purgedAt >= keptSeconds) {
        purge.run(now)
        purgedAt = now
      }
      return Number(insert.run(publicKey, nonce, now + keptSeconds).changes) === 1
    },
  }
}
