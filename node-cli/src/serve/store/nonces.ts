import type { DatabaseSync } from 'node:sqlite'

/** Nonces of signed requests. They are on the disk before a request is handled, so that no restart forgets one. */
export interface NonceStore {
  /** Stores a nonce for `keptSeconds`; false when it is there already. */
  readonly spend: (publicKey: string, nonce: string, now: number, keptSeconds: number) => boolean
}

export function nonceStore(db: DatabaseSync): NonceStore {
  const insert = db.prepare('INSERT INTO nonces VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const purge = db.prepare('DELETE FROM nonces WHERE expires_at < ?')
  let purgedAt = 0
  return {
    spend: (publicKey, nonce, now, keptSeconds) => {
      if (now - purgedAt >= keptSeconds) {
        purge.run(now)
        purgedAt = now
      }
      return Number(insert.run(publicKey, nonce, now + keptSeconds).changes) === 1
    },
  }
}
